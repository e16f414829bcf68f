-- One row per metric that a frozen release was scored with once, and that today's code computes differently: both numbers.
--
-- No rows unless such a number differs.
with earlier_sets as (

    select * from raw.result_sets
    where not is_current

)

select
    earlier.suite,
    earlier.release,
    earlier.model,
    earlier.judge,
    earlier.metric,
    earlier.slice_by,
    earlier.slice_value,
    earlier.value,
    earlier.low,
    earlier.high,
    metrics.value as value_now,
    metrics.low as low_now,
    metrics.high as high_now,
    earlier.score_id
from raw.metrics as earlier
semi join earlier_sets on earlier.score_id = earlier_sets.score_id
left join reports.metrics as metrics using (suite, release, model, judge, metric, slice_by, slice_value)
order by suite, release, judge, metric, slice_by, slice_value, model, earlier.score_id
