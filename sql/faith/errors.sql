-- One row per release, model, judge, scenario and kind of error of FAITH: how many of the model's wrong answers, with one example.
--
-- The kinds are those of `faith.wrong_answers`.
with errors as (

    select
        release,
        model,
        judge,
        scenario,
        error,
        count(*) as n,
        arg_min(answer, case_id) as example_answer,
        arg_min(target, case_id) as example_target
    from faith.wrong_answers
    group by all

)

select
    * exclude (example_answer, example_target),
    n / sum(n) over (partition by release, model, judge, scenario) as share,
    example_answer,
    example_target
from errors
order by release, model, judge, scenario, n desc, error
