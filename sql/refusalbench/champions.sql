-- One row per release, judge and slice (all cases, a setting or a sector): the best model by answers, and by refusals.
--
-- Models that tie are all named; if all have 0, none is.
with ranked as (

    select
        *,
        value > 0 and value = max(value) over (partition by release, judge, slice_by, slice_value, metric) as is_best
    from refusalbench.metrics
    where slice_by in ('overall', 'task', 'sector')

),

champions as (

    select
        release,
        judge,
        slice_by,
        slice_value,
        string_agg(model, ', ' order by model) filter (where is_best and metric = 'answer_accuracy') as by_answers,
        max(value) filter (where metric = 'answer_accuracy') as answer_accuracy,
        string_agg(model, ', ' order by model) filter (where is_best and metric = 'refusal_accuracy') as by_refusals,
        max(value) filter (where metric = 'refusal_accuracy') as refusal_accuracy
    from ranked
    where value is not null
    group by all

)

select * from champions
order by release, judge, slice_by, slice_value
