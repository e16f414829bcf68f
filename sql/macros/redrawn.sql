-- One row per distinct list of `lists`: what it adds up to in each row of `staging.resamples`, in their order.
--
-- `lists` names a relation with a column `by_group`, a number for each group of filings. Models that are all scored
-- share their lists of counts, and each list is drawn once.
create macro macros.redrawn(lists) as table (

    with numbered as materialized (

        select
            by_group,
            row_number() over () as list_number
        from (
            select distinct by_group from query_table(lists)
        )

    ),

    drawn as (

        select
            numbered.list_number,
            list(
                list_inner_product(numbered.by_group, resamples.n_drawn)
                order by resamples.replicate
            ) as redrawn
        from numbered
        inner join staging.resamples on len(numbered.by_group) = resamples.n_groups
        group by all

    )

    select
        numbered.by_group,
        drawn.redrawn
    from numbered
    inner join drawn using (list_number)

)
