-- One row per release, model, judge and variant: compliance where an answer is asked for, and where a longer text is.
with metrics as (

    select
        release,
        model,
        judge,
        split_part(slice_value, ',', 1) as variant,
        split_part(slice_value, ',', 2) as task,
        n,
        value,
        low,
        high
    from failsafeqa.metrics
    where metric = 'compliance' and slice_by = 'variant,task'

),

tasks_by_variant as (

    select
        release,
        model,
        judge,
        variant,
        coalesce(max(n) filter (where task = 'qa'), 0) as n_qa,
        max(value) filter (where task = 'qa') as qa,
        max(low) filter (where task = 'qa') as qa_low,
        max(high) filter (where task = 'qa') as qa_high,
        coalesce(max(n) filter (where task = 'tg'), 0) as n_tg,
        max(value) filter (where task = 'tg') as tg,
        max(low) filter (where task = 'tg') as tg_low,
        max(high) filter (where task = 'tg') as tg_high
    from metrics
    group by all

)

select * from tasks_by_variant
order by release, model, judge, list_position(failsafeqa.perturbations(), variant)
