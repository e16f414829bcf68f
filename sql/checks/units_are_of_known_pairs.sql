-- One row per unit of a suite that is of no pair of its release, or whose numerator and denominator do not go together.
--
-- An unscored unit has no denominator. Its numerator is null, or 0 if it could not have passed.
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
        or if(units.denominator is null, units.numerator != 0, units.numerator is null)
        or units.denominator < 0

)

select * from misfits
