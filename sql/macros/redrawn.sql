-- One row per cell and part of `amounts`: what the groups' amounts add up to in each row of `staging.resamples`, in order.
--
-- `amounts` names a relation with release, suite, cell_number, part, group_number and amount. Cells with equal amounts
-- in all groups, such as the counts of models that are all scored, are drawn once.
create macro macros.redrawn(amounts) as table (

    with given as materialized (

        select
            release,
            suite,
            cell_number,
            part,
            group_number,
            amount
        from query_table(amounts)

    ),

    -- every list has every group, in one order, so that what is drawn is a product of two lists
    numbers as (

        select distinct
            release,
            suite,
            group_number
        from staging.pairs

    ),

    places as (

        select
            parts.cell_number,
            parts.part,
            numbers.group_number
        from (
            select distinct
                release,
                suite,
                cell_number,
                part
            from given
        ) as parts
        inner join numbers using (release, suite)

    ),

    lists as materialized (

        select
            cell_number,
            part,
            list(coalesce(given.amount, 0)::double order by group_number) as by_group
        from places
        left join given using (cell_number, part, group_number)
        group by all

    ),

    distinct_lists as materialized (

        -- named by the first that it is the list of; a row_number would have all that follows done by one thread
        select
            by_group,
            min(part || cell_number) as name
        from lists
        group by all

    ),

    -- a cross join, though releases may differ in their number of groups: a hash join would copy each list for each
    -- replicate, and take twice as long
    drawn as (

        select
            distinct_lists.name,
            list(
                case
                    when len(distinct_lists.by_group) = resamples.n_groups
                        then list_inner_product(distinct_lists.by_group, resamples.n_drawn)
                end
                order by resamples.replicate
            ) filter (where len(distinct_lists.by_group) = resamples.n_groups) as redrawn
        from distinct_lists
        cross join staging.resamples
        group by all

    )

    select
        lists.cell_number,
        lists.part,
        drawn.redrawn
    from lists
    inner join distinct_lists using (by_group)
    inner join drawn using (name)

)
