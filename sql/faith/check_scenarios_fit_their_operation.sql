-- One row per derivation whose scenario is not that of its operation and its cells.
--
-- A lookup reads one cell. Of two cells, a change and a mean are of one metric, a share and a sum of two; a difference
-- is of one metric over two periods, or of two metrics of one period, which stand in one column. Whatever reads more is
-- multivariate.
with described as (

    select
        release,
        suite,
        derivation_id,
        operation,
        scenario,
        list_unique([(cell.table_index, cell.row) for cell in operands]) as n_rows,
        list_unique([(cell.table_index, cell.column) for cell in operands]) as n_columns,
        case
            when operation = 'lookup' then ['direct lookup']
            when len(operands) + len(stated) > 2 then ['multivariate']
            when operation in ('share', 'percent_of', 'sum') then ['bivariate']
            when operation = 'difference' and n_rows = 2 and n_columns = 1 then ['comparative', 'bivariate']
            else ['comparative']
        end as fitting
    from raw.derivations
    where len(operands) > 0

)

select * exclude (n_rows, n_columns) from described
where not list_contains(fitting, scenario)
