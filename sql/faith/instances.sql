-- One row per release and slice of FAITH's figures: how many were looked at, are proved, and are asked for.
--
-- n_figures     figures that were looked at
-- n_searched    of them, those that the tables were searched for: not those that their own words rule out, as where a
--               neighbouring sentence states the figure or others of the sentence give it
-- n_proved      of these, those that cells of the tables give: a derivation is stored
-- n_asked       of those that were searched for, those that are asked for: pairs
-- n_asked_proved, n_asked_voted    of these, those with a derivation, and those that a panel vouches for
--
-- Slices are the whole, the unit and the scenario. Why the others are not asked for says
-- `reports.rejects_by_reason`.
with ruled_out as (

    select
        release,
        suite,
        parent_id as span_id
    from raw.rejects
    where
        stage = 'qa_pairs'
        and reason in (
            'the sentence or a neighbour is longer than 4,000 characters',
            'the sentence or a neighbour holds [MASK] itself',
            'the sentence has more than 20 figures',
            'the sentence states the figure twice',
            'a neighbouring sentence states the figure',
            'other figures of its sentence give the figure',
            'the same sentence hides the same figure elsewhere'
        )

),

spans as (

    select
        spans.release,
        spans.suite,
        spans.qa_pair_id,
        ruled_out.span_id is null as is_searched,
        proofs.span_id is not null as is_proved,
        vouched.span_id is not null as is_voted,
        unnest(['overall', 'unit', 'scenario']) as slice_by,
        unnest(['all', spans.unit, if(spans.mask_type is null, null, macros.scenario(spans.mask_type))]) as slice_value
    from raw.masked_spans as spans
    left join raw.derivations as proofs using (release, suite, span_id)
    left join faith.vouched_figures as vouched using (release, suite, span_id)
    left join ruled_out using (release, suite, span_id)

),

instances as (

    select
        release,
        slice_by,
        slice_value,
        count(*) as n_figures,
        count(*) filter (where is_searched) as n_searched,
        count(*) filter (where is_proved) as n_proved,
        count(qa_pair_id) as n_asked,
        count(qa_pair_id) filter (where is_proved) as n_asked_proved,
        count(qa_pair_id) filter (where is_voted) as n_asked_voted
    from spans
    where slice_value is not null
    group by all

)

select * from instances
order by release, slice_by != 'overall', slice_by, slice_value
