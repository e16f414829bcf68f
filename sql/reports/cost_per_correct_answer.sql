-- One row per release, suite, model and judge: what the model's answers cost, for each that the judge finds right.
--
-- cost_usd is of all of the model's answers, scored or not; judging and building are left out. It is null where nothing is
-- paid per token, and cost_per_correct_usd besides where no answer is right. An answer that is right in part is not right.
with answers as (

    select
        release,
        suite,
        model,
        judge,
        count(value) as n,
        count(*) filter (where value is null) as n_unscored,
        count(*) filter (where is_compliant) as n_correct
    from staging.judged_answers
    where is_counted
    group by all

),

tested_models as (

    select * from reports.tested_models

),

cost_per_correct_answer as (

    select
        answers.release,
        answers.suite,
        answers.model,
        answers.judge,
        answers.n,
        answers.n_unscored,
        answers.n_correct,
        tested_models.n_calls,
        tested_models.cost_usd,
        tested_models.cost_usd / nullif(answers.n_correct, 0) as cost_per_correct_usd
    from answers
    left join tested_models using (release, suite, model)

)

select * from cost_per_correct_answer
order by release, suite, judge, cost_per_correct_usd nulls last, model
