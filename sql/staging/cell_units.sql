-- One row per cell of the metrics (release, model, judge, metric, slice) and unit that it counts.
--
-- `case_ids` are the cases that decide the unit, and `score` its value, null where it is unscored or counts
-- nothing.
with sets as (

    select
        suite,
        list(traits) as sets
    from suites.slices
    group by all

),

of_traits as (

    select
        units.*,
        unnest(macros.trait_slices(variant, task, traits, sets), recursive := true)
    from staging.units as units
    left join sets using (suite)

),

of_pairs as (

    select
        units.*,
        if(pair_slices.slice_by = 'filed_date', 'filed', pair_slices.slice_by) as slice_by,
        case
            when pair_slices.slice_by != 'filed_date' then pair_slices.slice_value
            when pair_slices.slice_value::date <= models.cutoff then 'before cutoff'
            else 'after cutoff'
        end as slice_value
    from staging.units as units
    inner join staging.pair_slices as pair_slices using (pair_number)
    left join raw.models as models
        on units.release = models.release
        and units.suite = models.suite
        and units.model = models.model
    where
        (units.is_answerable or pair_slices.slice_by != 'answer_position')
        and (pair_slices.slice_by != 'filed_date' or models.cutoff is not null)

),

cell_units as (

    select
        units.suite,
        units.release,
        units.model,
        other_model,
        judge,
        metric,
        slice_by,
        slice_value,
        unit_id,
        units.group_number,
        pairs.qa_pair_id,
        case_ids,
        numerator / nullif(denominator, 0) as score
    from (
        from of_traits
        union all by name
        from of_pairs
    ) as units
    inner join staging.pairs as pairs using (release, suite, pair_number)

)

select * from cell_units
