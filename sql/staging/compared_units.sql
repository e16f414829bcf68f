-- One row per scored unit of a metric that is a share: its score, its group, and the slices in which models are compared.
--
-- Models are compared overall and in the slices that the suite names (`suites.slices`). The other slices would add
-- thousands of tests, each on a few filings; the metrics have their intervals. A unit that already compares two models
-- is left out.
with units as materialized (

    select * from suites.units
    where denominator is not null and other_model is null

),

no_shares as (

    select distinct
        suite,
        release,
        metric
    from units
    where denominator != 1 or numerator not in (0, 1)

),

sets as (

    select
        suite,
        list(traits) as sets
    from suites.slices
    where is_compared
    group by all

),

compared_units as (

    select
        units.suite,
        units.release,
        units.model,
        units.judge,
        units.metric,
        units.unit_id,
        units.case_ids,
        groups.group_number,
        ['overall'] || macros.slices_of(units.traits, coalesce(sets.sets, [])) as slices,
        units.numerator as score
    from units
    anti join no_shares using (suite, release, metric)
    left join staging.groups as groups using (release, suite, group_id)
    left join sets on units.suite = sets.suite

)

select * from compared_units
