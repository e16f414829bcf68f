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

    -- every cell has every group, in one order, so that a replicate is a product of two lists
    numbers as (

        select distinct
            release,
            suite,
            group_number
        from staging.pairs

    ),

    places as (

        select
            cells.cell_number,
            numbers.group_number
        from cells
        inner join numbers using (release, suite)

    ),

    added as (

        select
            cells.cell_number,
            by_group.group_number,
            by_group.n,
            by_group.total
        from by_group
        inner join cells using (suite, release, model, judge, metric, slice)

    ),

    lists as materialized (

        select
            cell_number,
            list(coalesce(added.n, 0)::double order by group_number) as ns,
            list(coalesce(added.total, 0)::double order by group_number) as totals
        from places
        left join added using (cell_number, group_number)
        group by all

    ),

    every_list as (

        select ns as by_group from lists
        union all
        select totals as by_group from lists

    ),

    redrawn as materialized (

        from macros.redrawn('every_list')

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
            list_zip(redrawn_totals.redrawn, redrawn_ns.redrawn),
            lambda drawn: drawn[1] / nullif(drawn[2], 0)
        ) as replicates
    from cells
    inner join lists using (cell_number)
    inner join redrawn as redrawn_ns on lists.ns = redrawn_ns.by_group
    inner join redrawn as redrawn_totals on lists.totals = redrawn_totals.by_group

)
