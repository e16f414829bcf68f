-- One row per unit of a judge and metric that several models are scored on: their scores, and the slices in which they are compared.
--
-- Models are compared overall and in the slices that the suite names (`suites.slices`). The other slices would add
-- thousands of tests, each on a few filings; the metrics have their intervals. Models are named by a hash: there may be
-- many millions of scores.
--
-- If a judge compares answers, two models share a unit if both met the same third model in it, or if they met each other.
-- When they met each other, the unit holds the points of both, so a tie is a difference of 0. If all models met on all
-- cases, the difference of two models is that of their metrics.
create macro macros.compared_units(of_suite, of_release, of_judge, of_metric) as table (

    with units as not materialized (

        select * from staging.units
        where
            suite = of_suite
            and release = of_release
            and judge = of_judge
            and metric = of_metric
            and denominator is not null

    ),

    sides as (

        select
            *,
            hash(unit_id) as unit
        from units
        where other_model is null

        union all

        select
            *,
            unnest([hash(unit_id, other_model), hash(unit_id, least(model, other_model), greatest(model, other_model))])
                as unit
        from units
        where other_model is not null

    ),

    compared_units as materialized (

        select
            unit,
            any_value(group_number) as group_number,
            any_value(donor_group_number) as donor_group_number,
            any_value(variant) as variant,
            any_value(task) as task,
            any_value(traits) as traits,
            any_value(hash(variant, task, traits)) as kind,
            list(hash(model)) as models,
            list(numerator::double) as numerators,
            list(denominator::double) as denominators
        from sides
        group by unit
        having count(*) > 1

    ),

    sets as (

        select list(traits) as compared
        from suites.slices
        where suite = of_suite and is_compared

    ),

    kinds as (

        select
            kind,
            list_filter(
                macros.trait_slices(variant, task, traits, compared),
                lambda slice:
                    slice.slice_by = 'overall' or list_contains(coalesce(compared, []), string_split(slice.slice_by, ','))
            ) as slices
        from (select distinct variant, task, traits, kind from compared_units)
        cross join sets

    )

    select
        compared_units.* exclude (unit, variant, task, traits, kind),
        kinds.slices
    from compared_units
    inner join kinds using (kind)

)
