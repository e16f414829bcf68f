-- One row per suite, two releases (in both orders), model, judge, metric and slice: the metric in both, as each was scored.
--
-- No rows without two releases.
-- `tenkbench diff` says whether a change is more than noise, and compares what both releases ask in the same words.
with metrics as (

    select * from reports.metrics
    where value is not null

)

select
    one.suite,
    one.release,
    other.release as other_release,
    one.model,
    one.judge,
    one.metric,
    one.slice_by,
    one.slice_value,
    one.n,
    other.n as other_n,
    one.n_groups,
    other.n_groups as other_n_groups,
    one.value,
    one.low,
    one.high,
    other.value as other_value,
    other.low as other_low,
    other.high as other_high,
    other.value - one.value as change
from metrics as one
inner join metrics as other using (suite, model, judge, metric, slice_by, slice_value)
where one.release != other.release
order by suite, release, other_release, judge, metric, slice_by, slice_value, model
