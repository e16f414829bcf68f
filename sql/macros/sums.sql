-- One row per release, model, judge, metric, slice and group of filings: what the group adds to the metric.
--
-- `scores` names a relation of `scores`. Slices are those of the units' pairs (`staging.judged_pair_slices`). `n` units
-- are scored and `total` is the sum of their scores; `n_unscored` are not. What `macros.measured` takes.
create macro macros.sums(scores) as table (

    select
        scored.suite,
        scored.release,
        scored.model,
        scored.judge,
        scored.metric,
        slices.slice,
        scored.group_number,
        count(scored.score) as n,
        count(*) - count(scored.score) as n_unscored,
        coalesce(sum(scored.score), 0) as total
    from query_table(scores) as scored
    inner join staging.judged_pair_slices as slices using (suite, release, model, qa_pair_id)
    group by all

)
