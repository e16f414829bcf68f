-- One row per release, suite, model, judge, metric and slice: the metric in it and in the frozen release of the suite before it.
--
-- Releases follow each other by time, not by name (`raw.releases`).
-- No rows without an earlier, frozen release of the suite.
-- `tenkbench diff` says whether a change is more than noise.
with metrics as (

    select * from reports.metrics

),

releases as (

    select distinct
        suite,
        releases.*
    from metrics
    inner join raw.releases as releases using (release)

),

followed as (

    select
        suite,
        this.release,
        max_by(earlier.release, (earlier.made_at, earlier.release)) as last_release
    from releases as this
    inner join releases as earlier using (suite)
    where earlier.is_frozen and earlier.made_at < this.made_at
    group by all

),

last_metrics as (

    select
        suite,
        release as last_release,
        model,
        judge,
        metric,
        slice_by,
        slice_value,
        n as last_n,
        value as last_value,
        low as last_low,
        high as last_high
    from metrics

),

since_last_release as (

    select
        suite,
        release,
        last_release,
        model,
        judge,
        metric,
        slice_by,
        slice_value,
        last_n,
        n,
        last_value,
        last_low,
        last_high,
        value,
        low,
        high,
        value - last_value as change
    from metrics
    inner join followed using (suite, release)
    left join last_metrics
        using (suite, last_release, model, judge, metric, slice_by, slice_value)
    where value is not null

)

select * from since_last_release
order by suite, release, judge, metric, slice_by, slice_value, model
