-- One row per release, judge and slice (all cases, a setting or a sector): the best model by answers, and by refusals.
with champions as (

    select
        release,
        judge,
        slice_by,
        slice_value,
        list(model order by value desc, model) filter (where metric = 'answer_accuracy')[1] as by_answers,
        max(value) filter (where metric = 'answer_accuracy') as answer_accuracy,
        list(model order by value desc, model) filter (where metric = 'refusal_accuracy')[1] as by_refusals,
        max(value) filter (where metric = 'refusal_accuracy') as refusal_accuracy
    from refusalbench.metrics
    where slice_by in ('overall', 'task', 'sector') and value is not null
    group by all

)

select * from champions
order by release, judge, slice_by, slice_value
