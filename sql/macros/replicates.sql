-- One row per release, model, judge, metric, slice and replicate: the metric where the filings are drawn anew.
--
-- `sums` names a relation of `staging` with what each filing adds to each metric: `n` scored things, their `total`.
create macro macros.replicates(sums) as table (

    with by_group as (

        select
            sums.suite,
            sums.release,
            sums.model,
            sums.judge,
            sums.metric,
            sums.slice,
            filing_groups.group_number,
            sum(sums.n)::double as n,
            sum(sums.total)::double as total
        from query_table(sums) as sums
        inner join staging.filing_groups using (release, suite, filing_id)
        group by all

    ),

    cells as (

        select distinct
            suite,
            release,
            model,
            judge,
            metric,
            slice
        from by_group

    ),

    numbers as (

        select distinct
            release,
            suite,
            group_number
        from staging.filing_groups

    ),

    -- every cell has every group, in one order, so that a replicate is a product of two lists
    rows_of_cells as (

        select
            cells.suite,
            cells.release,
            cells.model,
            cells.judge,
            cells.metric,
            cells.slice,
            list(coalesce(by_group.n, 0) order by numbers.group_number) as n,
            list(coalesce(by_group.total, 0) order by numbers.group_number) as total
        from cells
        inner join numbers using (release, suite)
        left join by_group using (suite, release, model, judge, metric, slice, group_number)
        group by all

    )

    select
        rows_of_cells.suite,
        rows_of_cells.release,
        rows_of_cells.model,
        rows_of_cells.judge,
        rows_of_cells.metric,
        rows_of_cells.slice,
        resamples.replicate,
        list_inner_product(rows_of_cells.total, resamples.n_drawn)
        / nullif(list_inner_product(rows_of_cells.n, resamples.n_drawn), 0) as value
    from rows_of_cells
    inner join staging.resamples using (release, suite)

)
