-- One row per two releases, model, judge, metric and unit that both ask in the same words, and score.
--
-- Such units are of the same cases, each with the same query, context and target; if two answers are compared, against
-- the same other model. release comes before other_release by name. The columns are those of `macros.compared_units`,
-- with releases in place of models; groups and slices are those of release.
with asked as (

    select
        release,
        suite,
        subject_id as unit_id,
        hash(list({'case': case_id, 'query': query, 'context': context_id, 'target': target} order by case_id)) as words
    from (
        select
            release,
            suite,
            subject_id,
            unnest(case_ids) as case_id
        from staging.subjects
    )
    inner join raw.cases as cases using (release, suite, case_id)
    group by all

),

units as materialized (

    select
        units.*,
        asked.words
    from staging.units as units
    inner join asked using (release, suite, unit_id)
    where units.denominator is not null

),

sets as (

    select
        suite,
        list(traits) filter (where is_compared) as compared
    from suites.slices
    group by all

),

shared_units as (

    select
        units.suite,
        units.release,
        others.release as other_release,
        units.model,
        units.judge,
        units.metric,
        hash(units.judge, units.metric, units.unit_id, units.other_model) as unit,
        units.group_number,
        units.donor_group_number,
        [hash(units.release), hash(others.release)] as models,
        [units.numerator::double, others.numerator::double] as numerators,
        [units.denominator::double, others.denominator::double] as denominators,
        list_filter(
            macros.trait_slices(
                units.variant,
                units.task,
                units.traits,
                list_filter(sets.compared, lambda named: len(named) = 1)
            ),
            lambda slice: slice.slice_by = 'overall' or list_contains(coalesce(sets.compared, []), [slice.slice_by])
        ) as slices
    from units
    inner join units as others
        on units.suite = others.suite
        and units.model = others.model
        and units.judge = others.judge
        and units.metric = others.metric
        and units.unit_id = others.unit_id
        and units.words = others.words
        and units.other_model is not distinct from others.other_model
        and units.release < others.release
    left join sets on units.suite = sets.suite

)

select * from shared_units
