-- One row per unit of a suite that is of no pair of its release, or whose numerator and denominator do not go together.
with units as (

    select * from suites.units

),

pairs as (

    select
        release,
        suite,
        pair_number,
        group_number
    from staging.pairs

),

misfits as (

    select
        units.suite,
        units.release,
        units.metric,
        units.unit_id,
        units.pair_number,
        units.numerator,
        units.denominator
    from units
    left join pairs using (release, suite, pair_number, group_number)
    where
        pairs.pair_number is null
        or (units.numerator is null) != (units.denominator is null)
        or units.denominator < 0

)

select * from misfits
