-- One row per two releases, model, judge, metric and unit that both ask in the same words, and score.
--
-- Such units are of the same cases, each with the same query, context and target; if two answers are compared, against
-- the same other model. release comes before other_release by name. The columns are those of `macros.compared_units`,
-- with releases in place of models; groups and slices are those of release.
with units as materialized (

    select * from suites.units
    where denominator is not null

),

cases as (

    select
        release,
        suite,
        case_id,
        query,
        context_id,
        target
    from raw.cases

),

same_cases as materialized (

    select
        one.suite,
        one.release,
        other.release as other_release,
        one.case_id
    from cases as one
    inner join cases as other
        on one.suite = other.suite
        and one.case_id = other.case_id
        and one.query = other.query
        and one.context_id is not distinct from other.context_id
        and one.target = other.target
        and one.release < other.release

),

cases_of_units as (

    select
        suite,
        release,
        unit_id,
        case_ids,
        unnest(case_ids) as case_id
    from (
        select distinct
            suite,
            release,
            unit_id,
            case_ids
        from units
    )

),

same_units as (

    select
        cases_of_units.suite,
        cases_of_units.release,
        same_cases.other_release,
        cases_of_units.unit_id,
        cases_of_units.case_ids
    from cases_of_units
    inner join same_cases using (suite, release, case_id)
    group by all
    having count(*) = len(cases_of_units.case_ids)

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
            macros.trait_slices(units.variant, units.task, units.traits, null),
            lambda slice: slice.slice_by = 'overall' or list_contains(coalesce(sets.compared, []), [slice.slice_by])
        ) as slices
    from units
    inner join same_units using (suite, release, unit_id, case_ids)
    inner join units as others
        on units.suite = others.suite
        and units.model = others.model
        and units.judge = others.judge
        and units.metric = others.metric
        and units.unit_id = others.unit_id
        and units.other_model is not distinct from others.other_model
        and units.case_ids = others.case_ids
        and same_units.other_release = others.release
    left join sets on units.suite = sets.suite

)

select * from shared_units
