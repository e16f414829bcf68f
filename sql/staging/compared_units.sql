-- One row per unit that several models are scored on, by judge and metric: their scores, and the slices in which they are compared.
--
-- Models are compared overall and in the slices that the suite names (`suites.slices`). The other slices would add
-- thousands of tests, each on a few filings; the metrics have their intervals. A unit that already compares two models
-- is left out. Units are told apart, and models named, by a hash: there may be many millions.
with units as not materialized (

    select
        *,
        hash(suite, release, judge, metric, unit_id) as unit
    from suites.units
    where denominator is not null and other_model is null

),

sets as (

    select
        suite,
        list(traits) filter (where is_compared) as compared
    from suites.slices
    group by all

),

compared_units as materialized (

    select
        unit,
        any_value(suite) as suite,
        any_value(release) as release,
        any_value(judge) as judge,
        any_value(metric) as metric,
        any_value(group_number) as group_number,
        any_value(donor_group_number) as donor_group_number,
        any_value(variant) as variant,
        any_value(task) as task,
        any_value(traits) as traits,
        hash(any_value(suite), any_value(variant), any_value(task), any_value(traits)) as kind,
        list(hash(model)) as models,
        list(numerator::double) as numerators,
        list(denominator::double) as denominators
    from units
    group by unit
    having count(*) > 1

),

kinds as (

    select
        kind,
        list_filter(
            macros.trait_slices(variant, task, traits, null),
            lambda slice: slice.slice_by = 'overall' or list_contains(coalesce(sets.compared, []), [slice.slice_by])
        ) as slices
    from (select distinct suite, variant, task, traits, kind from compared_units)
    left join sets using (suite)

)

select
    compared_units.* exclude (variant, task, traits, kind),
    kinds.slices
from compared_units
inner join kinds using (kind)
