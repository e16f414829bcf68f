-- One row per number of groups and replicate: how often each group is drawn, in the groups' order.
--
-- As many groups are drawn as there are, with replacement; draws come from MD5 of (replicate, draw), so they are the
-- same everywhere and for all models: differences between models are drawn in pairs.
with sizes as (

    select distinct n_groups
    from (
        select max(group_number) + 1 as n_groups
        from staging.pairs
        group by release, suite
    )

),

cells as (

    select
        sizes.n_groups,
        replicates.range as replicate,
        groups.range as group_number
    from sizes
    cross join range(macros.bootstrap_replicates()) as replicates
    inner join range(macros.bootstrap_groups()) as groups on groups.range < sizes.n_groups

),

-- as many draws as groups
draws as (

    select
        n_groups,
        replicate,
        (md5_number_lower(replicate || '/' || group_number) % n_groups)::bigint as group_number,
        count(*) as n_drawn
    from cells
    group by all

),

resamples as (

    select
        n_groups,
        replicate,
        list(coalesce(n_drawn, 0)::double order by group_number) as n_drawn
    from cells
    left join draws using (n_groups, replicate, group_number)
    group by all

)

select * from resamples
