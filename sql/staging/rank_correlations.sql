-- One row per relation, two raters and slice of what humans rated: the ranks' correlations, with intervals.
--
-- From the table of the two ratings, 6 by 6, with the answers that each cell stands for: Spearman's is Pearson's of the
-- middle ranks, Kendall's tau-b weighs each pair of answers that the raters order alike or against each other.
with rated as (

    select
        *,
        unnest(['overall', 'rubric=' || rubric]) as slice
    from staging.verdict_pairs
    where relation in ('audited', 'two auditors') and rating is not null and other_rating is not null

),

by_group as materialized (

    select
        relation,
        release,
        suite,
        rater,
        other_rater,
        slice,
        group_number,
        rating as x,
        other_rating as y,
        sum(weight) as weight
    from rated
    group by all

),

group_counts as (

    select
        relation,
        release,
        suite,
        rater,
        other_rater,
        slice,
        count(distinct group_number) as n_groups
    from by_group
    group by all

),

sizes as (

    select
        release,
        suite,
        max(group_number) + 1 as n_groups
    from staging.pairs
    group by all

),

-- replicate null is the sample itself
drawn as (

    select
        by_group.*,
        null as replicate,
        1.0 as n_drawn
    from by_group
    union all
    select
        by_group.*,
        resamples.replicate,
        resamples.n_drawn[by_group.group_number + 1]
    from by_group
    inner join sizes using (release, suite)
    inner join staging.resamples as resamples using (n_groups)

),

cells as materialized (

    select
        relation,
        release,
        suite,
        rater,
        other_rater,
        slice,
        replicate,
        x,
        y,
        sum(weight * n_drawn) as weight
    from drawn
    where n_drawn > 0
    group by all

),

pairs_of_cells as (

    select
        one.relation,
        one.release,
        one.suite,
        one.rater,
        one.other_rater,
        one.slice,
        one.replicate,
        one.weight * two.weight as weight,
        sign(one.x - two.x) as by_x,
        sign(one.y - two.y) as by_y
    from cells as one
    inner join cells as two
        on one.relation = two.relation
        and one.release = two.release
        and one.suite = two.suite
        and one.rater = two.rater
        and one.other_rater = two.other_rater
        and one.slice = two.slice
        and one.replicate is not distinct from two.replicate

),

kendall as (

    select
        relation,
        release,
        suite,
        rater,
        other_rater,
        slice,
        replicate,
        sum(weight * by_x * by_y)
        / nullif(sqrt(sum(weight * by_x * by_x)) * sqrt(sum(weight * by_y * by_y)), 0) as kendall
    from pairs_of_cells
    group by all

),

ranked as (

    select
        *,
        sum(weight) over (of_table order by x range unbounded preceding)
        - sum(weight) over (of_table order by x range current row) / 2 as rank_x,
        sum(weight) over (of_table order by y range unbounded preceding)
        - sum(weight) over (of_table order by y range current row) / 2 as rank_y
    from cells
    window of_table as (partition by relation, release, suite, rater, other_rater, slice, replicate)

),

spearman as (

    select
        relation,
        release,
        suite,
        rater,
        other_rater,
        slice,
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
        spearman.relation,
        spearman.release,
        spearman.suite,
        spearman.rater,
        spearman.other_rater,
        spearman.slice,
        any_value(spearman.spearman) filter (where spearman.replicate is null) as spearman,
        any_value(kendall.kendall) filter (where spearman.replicate is null) as kendall,
        quantile_cont(spearman.spearman, [0.025, 0.975]) filter (where spearman.replicate is not null) as spearman_ends,
        quantile_cont(kendall.kendall, [0.025, 0.975]) filter (where spearman.replicate is not null) as kendall_ends
    from spearman
    inner join kendall
        on spearman.relation = kendall.relation
        and spearman.release = kendall.release
        and spearman.suite = kendall.suite
        and spearman.rater = kendall.rater
        and spearman.other_rater = kendall.other_rater
        and spearman.slice = kendall.slice
        and spearman.replicate is not distinct from kendall.replicate
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
        macros.widened_within_one(spearman, spearman_ends[1], n_groups) as spearman_low,
        macros.widened_within_one(spearman, spearman_ends[2], n_groups) as spearman_high,
        kendall,
        macros.widened_within_one(kendall, kendall_ends[1], n_groups) as kendall_low,
        macros.widened_within_one(kendall, kendall_ends[2], n_groups) as kendall_high
    from summed_up
    inner join group_counts using (relation, release, suite, rater, other_rater, slice)

)

select * from rank_correlations
