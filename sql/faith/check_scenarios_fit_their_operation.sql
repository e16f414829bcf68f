-- One row per derivation whose scenario is not that of its operation and its cells.
--
-- A lookup reads one cell. Of two cells, a change and a mean are of one metric, a share and a sum of two; a difference
-- is of one metric over two periods, or of two metrics of one period, which stand in one column. Whatever reads more is
-- multivariate.
with places as (

    select
        release,
        suite,
        derivation_id,
        count(*) as n_cells,
        count(distinct (table_index, "row")) as n_rows,
        count(distinct (table_index, "column")) as n_columns
    from (
        select
            release,
            suite,
            derivation_id,
            unnest(operands, recursive := true)
        from raw.derivations
    )
    group by all

),

described as (

    select
        derivations.release,
        derivations.suite,
        derivations.derivation_id,
        derivations.operation,
        derivations.scenario,
        case
            when operation = 'lookup' then ['direct lookup']
            when n_cells > 2 then ['multivariate']
            when operation in ('share', 'sum') then ['bivariate']
            when operation = 'difference' and n_rows = 2 and n_columns = 1 then ['comparative', 'bivariate']
            else ['comparative']
        end as fitting
    from raw.derivations as derivations
    inner join places using (release, suite, derivation_id)

),

misfits as (

    select * from described
    where not list_contains(fitting, scenario)

)

select * from misfits
