-- One row per release and slice of FAITH's figures: how many could be hidden, are proved, and are asked for.
--
-- n_figures     figures that were looked at
-- n_proved      of them, those that cells of the tables give: a derivation is stored
-- n_asked       of them, those that are asked for: pairs
-- n_asked_proved, n_asked_voted    of these, those with a derivation, and those of which a panel of three models or more
--               all say that the tables give the figure
--
-- Slices are the whole, the unit, the scenario, which is `no derivation` where nothing is proved, and the mask type of
-- published figures; of our own it is the scenario. Why the others are not asked for says `reports.rejects_by_reason`.
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
            'scenario=' || coalesce(proofs.scenario, 'no derivation'),
            if(spans.uid is not null, 'mask_type=' || spans.mask_type, null)
        ]) as slice
    from raw.masked_spans as spans
    left join proofs using (release, suite, span_id)
    left join panels using (release, suite, span_id)

),

faith_instances as (

    select
        release,
        slice,
        count(*) as n_figures,
        count(*) filter (where is_proved) as n_proved,
        count(qa_pair_id) as n_asked,
        count(qa_pair_id) filter (where is_proved) as n_asked_proved,
        count(qa_pair_id) filter (where is_voted) as n_asked_voted
    from spans
    where slice is not null
    group by all

)

select * from faith_instances
order by release, slice != 'overall', split_part(slice, '=', 1), slice = 'scenario=no derivation', slice
