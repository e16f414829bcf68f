-- One row per derivation whose operation gives another value than it says, of the values of its cells.
with operands as (

    select
        release,
        suite,
        derivation_id,
        list(value order by place) as numbers
    from faith.derivation_operands
    group by all

),

computed as (

    select
        derivations.release,
        derivations.suite,
        derivations.derivation_id,
        derivations.operation,
        derivations.value,
        macros.derived_value(derivations.operation, operands.numbers) as result
    from raw.derivations as derivations
    left join operands using (release, suite, derivation_id)

)

select * from computed
where not coalesce(abs(result - try_cast(value as double)) <= greatest(1e-9, abs(result) * 1e-13), false)
