-- One row per release and slice of FAITH's figures: how many could be hidden, are proved, and are asked for.
--
-- n_spans     figures that were looked at
-- n_proved    of them, those that cells of the tables give: a derivation is stored
-- n_pairs     of them, those that are asked for; n_pairs_proved of these have a derivation, n_pairs_voted a panel that
--             all say that the tables give the figure
--
-- Slices are the whole, the unit, and the scenario and mask type where they are known. Why the others are not asked for
-- says `reports.rejects_by_reason`.
with proofs as (

    select
        release,
        suite,
        span_id,
        scenario
    from raw.derivations
    where place = 0

),

panels as (

    select
        release,
        suite,
        span_id,
        count(*) >= 3 and bool_and(coalesce(is_answerable, false)) as is_unanimous
    from raw.votes
    group by all

),

spans as (

    select
        spans.release,
        spans.suite,
        spans.qa_pair_id,
        proofs.span_id is not null as is_proved,
        coalesce(panels.is_unanimous, false) as is_voted,
        unnest([
            'overall',
            'unit=' || spans.unit,
            'scenario=' || proofs.scenario,
            'mask_type=' || spans.mask_type
        ]) as slice
    from raw.masked_spans as spans
    left join proofs using (release, suite, span_id)
    left join panels using (release, suite, span_id)

),

faith_instances as (

    select
        release,
        slice,
        count(*) as n_spans,
        count(*) filter (where is_proved) as n_proved,
        count(qa_pair_id) as n_pairs,
        count(qa_pair_id) filter (where is_proved) as n_pairs_proved,
        count(qa_pair_id) filter (where is_voted) as n_pairs_voted
    from spans
    where slice is not null
    group by all

)

select * from faith_instances
order by release, slice != 'overall', slice
