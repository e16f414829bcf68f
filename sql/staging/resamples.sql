-- One row per release, suite and replicate: how often each group of filings is drawn, in the groups' order.
--
-- As many groups are drawn as there are, with replacement; draws come from MD5 of (replicate, draw), so they are the
-- same everywhere and for all models: differences between models are drawn in pairs.
with numbers as (

    select distinct
        release,
        suite,
        group_number
    from staging.filing_groups

),

sizes as (

    select
        release,
        suite,
        count(*) as n_groups
    from numbers
    group by all

),

replicates as (

    select range as replicate
    from range(macros.bootstrap_replicates())

),

draws as (

    select
        sizes.release,
        sizes.suite,
        replicates.replicate,
        (md5_number_lower(replicates.replicate || '/' || draws.range) % sizes.n_groups)::bigint as group_number,
        count(*) as n_drawn
    from sizes
    cross join replicates
    inner join range(macros.bootstrap_groups()) as draws on draws.range < sizes.n_groups
    group by all

),

resamples as (

    select
        numbers.release,
        numbers.suite,
        replicates.replicate,
        list(coalesce(draws.n_drawn, 0)::double order by numbers.group_number) as n_drawn
    from numbers
    cross join replicates
    left join draws using (release, suite, replicate, group_number)
    group by all

)

select * from resamples
