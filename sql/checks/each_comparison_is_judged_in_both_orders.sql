-- One row per case, judge and two models that are not compared exactly once in each order.
with judgements as (

    select * from staging.judgements
    where other_model is not null

),

compared as (

    select
        release,
        suite,
        judge,
        case_id,
        least(model, other_model) as model,
        greatest(model, other_model) as other_model,
        count(*) filter (where judgements.model < judgements.other_model) as n_forward,
        count(*) filter (where judgements.model > judgements.other_model) as n_backward
    from judgements
    group by all
    having n_forward != 1 or n_backward != 1

)

select * from compared
