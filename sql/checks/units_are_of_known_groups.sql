-- One row per unit of a suite whose group is no filing of its release, or whose numerator and denominator do not go together.
with units as (

    select * from suites.units

),

misfits as (

    select
        units.suite,
        units.release,
        units.metric,
        units.unit_id,
        units.group_id,
        units.numerator,
        units.denominator
    from units
    left join staging.groups as groups using (release, suite, group_id)
    where
        groups.group_id is null
        or (units.numerator is null) != (units.denominator is null)
        or units.denominator < 0

)

select * from misfits
