-- One row per release, model, judge, metric and slice: the metric, and its values where the filings are drawn anew.
--
-- `sums` names a relation of `staging` with what each group of filings adds to each metric: `n` scored things and
-- `n_unscored` others, `total` the sum of the scores. n_groups counts the groups with something scored; `replicates`
-- has a value for each row of `staging.resamples`, in their order.
create macro macros.resampled(sums) as table (

    with by_group as materialized (

        select * from query_table(sums)

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
            count(*) filter (where n > 0) as n_groups
        from by_group
        group by all

    ),

    amounts as (

        unpivot (
            select
                cells.release,
                cells.suite,
                cells.cell_number,
                by_group.group_number,
                by_group.n::double as n,
                by_group.total::double as total
            from by_group
            inner join cells using (suite, release, model, judge, metric, slice)
        )
        on n, total
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
        cells.total / nullif(cells.n, 0) as value,
        cells.total / (cells.n + cells.n_unscored) as worst,
        (cells.total + cells.n_unscored) / (cells.n + cells.n_unscored) as best,
        cells.n_groups,
        list_transform(
            list_zip(totals.redrawn, ns.redrawn),
            lambda drawn: drawn[1] / nullif(drawn[2], 0)
        ) as replicates
    from cells
    inner join redrawn as totals
        on cells.cell_number = totals.cell_number
        and totals.part = 'total'
    inner join redrawn as ns
        on cells.cell_number = ns.cell_number
        and ns.part = 'n'

)
