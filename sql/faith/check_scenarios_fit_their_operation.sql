-- One row per derivation whose scenario is not that of its operation and its cells.
--
-- A lookup reads one cell. Of two cells, a change is of one metric, a share and a sum of two. Whatever reads
-- more is multivariate.
with described as (

    select
        release,
        suite,
        derivation_id,
        operation,
        scenario,
        case
            when operation = 'lookup' then ['direct lookup']
            when len(operands) > 2 then ['multivariate']
            when operation in ('share', 'sum') then ['bivariate']
            else ['comparative']
        end as fitting
    from raw.derivations
    where len(operands) > 0

)

select * from described
where not list_contains(fitting, scenario)
