-- One row per relation, two raters and slice of what humans rated: the ranks' correlations, with intervals.
--
-- From the table of the two ratings, 6 by 6, with the answers that each field of it stands for: Spearman's is Pearson's
-- of the middle ranks, Kendall's tau-b weighs each pair of answers that the raters order alike or against each other.
with rated as materialized (

    select
        *,
        unnest(['overall', 'rubric=' || rubric]) as slice
    from staging.verdict_pairs
    where relation in ('audited', 'two auditors') and rating is not null and other_rating is not null

),

cells as materialized (

    select
        relation,
        release,
        suite,
        rater,
        other_rater,
        slice,
        row_number() over () as cell_number,
        count(distinct group_number) as n_groups
    from rated
    group by all

),

-- a field of the table is named by its two ratings: 46 is 4 by one, 6 by the other
amounts as materialized (

    select
        cells.release,
        cells.suite,
        cells.cell_number,
        rating || '' || other_rating as part,
        group_number,
        sum(weight)::double as amount
    from rated
    inner join cells using (relation, release, suite, rater, other_rater, slice)
    group by all

),

-- replicate 0 is the sample itself
replicates as (

    select
        cell_number,
        part,
        0 as replicate,
        sum(amount) as weight
    from amounts
    group by all
    union all
    select
        cell_number,
        part,
        unnest(range(1, len(redrawn) + 1)),
        unnest(redrawn)
    from macros.redrawn('amounts')

),

fields as materialized (

    select
        cell_number,
        replicate,
        part[1]::bigint as x,
        part[2]::bigint as y,
        weight
    from replicates
    where weight > 0

),

orders as (

    select
        cell_number,
        replicate,
        one.weight * two.weight as weight,
        sign(one.x - two.x) as by_x,
        sign(one.y - two.y) as by_y
    from fields as one
    inner join fields as two using (cell_number, replicate)

),

kendall as (

    select
        cell_number,
        replicate,
        macros.within_one(
            sum(weight * by_x * by_y)
            / nullif(sqrt(sum(weight * by_x * by_x)) * sqrt(sum(weight * by_y * by_y)), 0)
        ) as kendall
    from orders
    group by all

),

ranked as (

    select
        *,
        sum(weight) over (of_table order by x range unbounded preceding)
        - sum(weight) over (of_table order by x range current row) / 2 as rank_x,
        sum(weight) over (of_table order by y range unbounded preceding)
        - sum(weight) over (of_table order by y range current row) / 2 as rank_y
    from fields
    window of_table as (partition by cell_number, replicate)

),

spearman as (

    select
        cell_number,
        replicate,
        macros.correlation(
            sum(weight),
            sum(weight * rank_x),
            sum(weight * rank_y),
            sum(weight * rank_x * rank_x),
            sum(weight * rank_y * rank_y),
            sum(weight * rank_x * rank_y)
        ) as spearman
    from ranked
    group by all

),

summed_up as (

    select
        cell_number,
        any_value(spearman) filter (where replicate = 0) as spearman,
        any_value(kendall) filter (where replicate = 0) as kendall,
        quantile_cont(spearman, [0.025, 0.975]) filter (where replicate > 0) as spearman_ends,
        quantile_cont(kendall, [0.025, 0.975]) filter (where replicate > 0) as kendall_ends
    from spearman
    inner join kendall using (cell_number, replicate)
    group by all

),

rank_correlations as (

    select
        relation,
        release,
        suite,
        rater,
        other_rater,
        slice,
        spearman,
        macros.interval_within_one(spearman, spearman_ends, n_groups)[1] as spearman_low,
        macros.interval_within_one(spearman, spearman_ends, n_groups)[2] as spearman_high,
        kendall,
        macros.interval_within_one(kendall, kendall_ends, n_groups)[1] as kendall_low,
        macros.interval_within_one(kendall, kendall_ends, n_groups)[2] as kendall_high
    from cells
    inner join summed_up using (cell_number)

)

select * from rank_correlations
