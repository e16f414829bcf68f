-- One row per release, model, judge, perturbation and reason: how many cases have no rating.
with judged_cases as (

    select * from staging.judged_cases
    where unscored_reason is not null

),

unscored_reasons as (

    select
        release,
        suite,
        model,
        judge,
        perturbation,
        unscored_reason,
        count(*) as n,
        min(case_id) as example_case_id
    from judged_cases
    group by all

)

select * from unscored_reasons
order by release, suite, model, judge, perturbation, n desc, unscored_reason
