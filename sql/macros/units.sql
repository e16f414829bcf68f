-- One row per cell of a suite's metrics (release, model, judge, metric, slice) and unit that it counts.
--
-- `scores` names a relation of `scores` whose units are cases, each counted in the slices of its pair: what
-- `tenkbench explain` lists. `part` is the metric, `case_ids` the unit.
create macro macros.units(scores) as table (

    select
        scored.metric,
        scored.suite,
        scored.release,
        scored.model,
        scored.judge,
        scored.metric as part,
        slices.slice,
        scored.qa_pair_id,
        [scored.unit_id] as case_ids,
        scored.score
    from query_table(scores) as scored
    inner join staging.judged_pair_slices as slices using (suite, release, model, qa_pair_id)

)
