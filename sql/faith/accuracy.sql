-- One row per release, model, judge and scenario of FAITH, and for all of them: the share of answers that are correct.
--
-- accuracy is of the answers that were judged; accuracy_unscored_wrong counts those that could not be judged as wrong.
-- The scenario is how the tables give the figure: scenarios add up to all.
select
    release,
    model,
    judge,
    slice_value as scenario,
    n,
    n_unscored,
    coalesce(round(n * value), 0)::bigint as n_correct,
    value as accuracy,
    macros.interval(low, high) as accuracy_interval,
    worst as accuracy_unscored_wrong
from faith.metrics
where metric = 'accuracy' and slice_by in ('overall', 'scenario')
order by release, judge, scenario != 'all', n desc, scenario, accuracy desc nulls last, model
