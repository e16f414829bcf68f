-- One row per release, judge, model and setting (or `all`): its accuracies, error rates and scores.
with metrics as (

    select
        release,
        judge,
        model,
        slice_value as setting,
        metric,
        n,
        n_unscored,
        value,
        macros.interval(low, high) as value_interval
    from refusalbench.metrics
    where slice_by in ('overall', 'task')

),

scores as (

    select
        release,
        judge,
        model,
        setting,
        any_value(value) filter (where metric = 'crs') as crs,
        any_value(value_interval) filter (where metric = 'crs') as crs_interval,
        any_value(value) filter (where metric = 'answer_accuracy') as answer_accuracy,
        any_value(value) filter (where metric = 'refusal_accuracy') as refusal_accuracy,
        any_value(value) filter (where metric = 'false_refusal') as false_refusal,
        any_value(value) filter (where metric = 'missed_refusal') as missed_refusal,
        any_value(value) filter (where metric = 'detection_f1') as detection_f1,
        any_value(value) filter (where metric = 'category_accuracy') as category_accuracy,
        any_value(value) filter (where metric = 'hierarchical_score') as hierarchical_score,
        (sum(n) filter (where metric in ('answer_accuracy', 'refusal_accuracy')))::bigint as n,
        (sum(n_unscored) filter (where metric in ('answer_accuracy', 'refusal_accuracy')))::bigint as n_unscored
    from metrics
    group by all

)

select * from scores
order by release, judge, setting, crs desc nulls last, model
