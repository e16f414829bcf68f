-- One row per suite, release, model, judge, metric and slice: the metric as it was last scored.
with result_sets as (

    select
        suite,
        release,
        score_id
    from raw.result_sets
    where is_current

),

metrics as (

    select * from raw.metrics
    semi join result_sets using (suite, release, score_id)

)

select * from metrics
order by suite, release, judge, metric, slice_by, slice_value, model
