-- One row per release, model, judge, metric and slice: the metric, and its values where the filings are drawn anew.
--
-- `sums` names a relation as a suite's `sums`, with what each group of filings adds to each metric: `n` scored units and
-- `n_unscored` others; `total` over `size` is the value. n_groups counts the groups with something scored; `replicates`
-- has a value for each row of `staging.resamples`, in their order. A metric that is no share has none.
create macro macros.resampled(sums) as table (

    with by_group as materialized (

        select * from query_table(sums)

    ),

    shares as (

        select
            suite,
            release,
            metric,
            bool_and(is_share) as is_share
        from by_group
        group by all

    ),

    cells as materialized (

        select
            suite,
            release,
            model,
            judge,
            metric,
            slice,
            row_number() over () as cell_number,
            sum(n)::bigint as n,
            sum(n_unscored)::bigint as n_unscored,
            sum(total)::double as total,
            sum(size)::double as size,
            shares.is_share,
            count(*) filter (where n > 0) as n_groups
        from by_group
        inner join shares using (suite, release, metric)
        group by all

    ),

    amounts as (

        unpivot (
            select
                cells.release,
                cells.suite,
                cells.cell_number,
                by_group.group_number,
                by_group.size::double as size,
                by_group.total::double as total
            from by_group
            inner join cells using (suite, release, model, judge, metric, slice)
            where cells.is_share
        )
        on size, total
        into name part value amount

    ),

    redrawn as materialized (

        from macros.redrawn('amounts')

    )

    select
        cells.suite,
        cells.release,
        cells.model,
        cells.judge,
        cells.metric,
        cells.slice,
        cells.n,
        cells.n_unscored,
        cells.total / nullif(cells.size, 0) as value,
        cells.total / nullif(cells.size + cells.n_unscored, 0) as worst,
        (cells.total + cells.n_unscored) / nullif(cells.size + cells.n_unscored, 0) as best,
        cells.n_groups,
        list_transform(
            list_zip(totals.redrawn, sizes.redrawn),
            lambda drawn: drawn[1] / nullif(drawn[2], 0)
        ) as replicates
    from cells
    left join redrawn as totals
        on cells.cell_number = totals.cell_number
        and totals.part = 'total'
    left join redrawn as sizes
        on cells.cell_number = sizes.cell_number
        and sizes.part = 'size'

)
