-- One row per stored metric that its units do not give: the sum of their numerators over that of their denominators.
--
-- Metrics made of others, such as LLM Compliance, have no units of their own.
with recomputed as (

    select
        suite,
        release,
        model,
        judge,
        metric,
        slice_by,
        slice_value,
        sum(n) as n,
        sum(total) / nullif(sum(size), 0) as value
    from staging.sums
    where draw = 'own'
    group by all

),

metrics as (

    select * from reports.metrics
    semi join recomputed using (suite, release, metric)

)

select
    metrics.suite,
    metrics.release,
    metrics.model,
    metrics.judge,
    metrics.metric,
    metrics.slice_by,
    metrics.slice_value,
    metrics.value,
    recomputed.value as value_of_units
from metrics
left join recomputed using (suite, release, model, judge, metric, slice_by, slice_value)
where
    metrics.n is distinct from recomputed.n
    or (metrics.value is null) != (recomputed.value is null)
    or abs(metrics.value - recomputed.value) > 1e-9
