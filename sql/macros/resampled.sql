-- One row per release, model, judge, metric and slice: the metric, and its values where the filings are drawn anew.
--
-- `sums` names a relation of `staging` with what each group of filings adds to each metric: `n` scored things and
-- `n_unscored` others, `total` the sum of the scores. n_groups counts the groups with something scored; `replicates`
-- has a value for each row of `staging.resamples`, in their order.
create macro macros.resampled(sums) as table (

    with by_group as materialized (

        select * from query_table(sums)

    ),

    cells as (

        select
            suite,
            release,
            model,
            judge,
            metric,
            slice,
            sum(n)::bigint as n,
            sum(n_unscored)::bigint as n_unscored,
            sum(total)::double as total,
            count(*) filter (where n > 0) as n_groups
        from by_group
        group by all

    ),

    numbers as (

        select distinct
            release,
            suite,
            group_number
        from staging.pairs

    ),

    -- every cell has every group, in one order, so that a replicate is a product of two lists
    lists as (

        select
            cells.suite,
            cells.release,
            cells.model,
            cells.judge,
            cells.metric,
            cells.slice,
            list(coalesce(by_group.n, 0)::double order by numbers.group_number) as ns,
            list(coalesce(by_group.total, 0)::double order by numbers.group_number) as totals
        from cells
        inner join numbers using (release, suite)
        left join by_group using (suite, release, model, judge, metric, slice, group_number)
        group by all

    ),

    replicates as (

        select
            lists.suite,
            lists.release,
            lists.model,
            lists.judge,
            lists.metric,
            lists.slice,
            list(
                list_inner_product(lists.totals, resamples.n_drawn)
                / nullif(list_inner_product(lists.ns, resamples.n_drawn), 0)
                order by resamples.replicate
            ) as replicates
        from lists
        inner join staging.resamples on len(lists.ns) = resamples.n_groups
        group by all

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
        replicates.replicates
    from cells
    inner join replicates using (suite, release, model, judge, metric, slice)

)
