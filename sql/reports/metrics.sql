-- One row per suite, release, model, judge, metric and slice: the metric as it was last scored.
with current_sets as (

    select * from raw.result_sets
    where is_current

)

select * from raw.metrics
semi join current_sets using (suite, release, score_id)
order by suite, release, judge, metric, slice_by, slice_value, model
