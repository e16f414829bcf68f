-- One row per relation of `staging.verdict_pairs` (those named), two raters and slice: how far their ratings agree.
--
-- n answers have both ratings, n_unscored lack one. Values are for the answers that the rows stand for (`weight`), the
-- intervals' ends from a bootstrap over filings. `weighted_kappa` weighs the ratings 1 to 6 quadratically, `kappa` is
-- that of compliance.
create macro macros.agreements(relations) as table (

    with sliced as materialized (

        select
            *,
            unnest(['overall', 'model=' || model, 'rubric=' || rubric]) as slice
        from staging.verdict_pairs
        where list_contains(relations, relation)

    ),

    counts as (

        select
            relation,
            release,
            suite,
            rater,
            other_rater,
            slice,
            count(*) filter (where rating is not null and other_rating is not null) as n,
            count(*) filter (where rating is null or other_rating is null) as n_unscored,
            count(*) filter (where compliance != other_compliance) as n_flips,
            count(distinct group_number) filter (where rating is not null and other_rating is not null) as n_groups
        from sliced
        group by all

    ),

    sums as materialized (

        select
            relation,
            release,
            suite,
            rater,
            other_rater,
            slice,
            group_number,
            sum(weight) as weight,
            sum(weight * (compliance != other_compliance)::integer) as disagreeing,
            sum(weight * abs(rating - other_rating)) as distance,
            sum(weight * compliance) as c,
            sum(weight * other_compliance) as d,
            sum(weight * compliance * other_compliance) as cd,
            sum(weight * rating) as x,
            sum(weight * other_rating) as y,
            sum(weight * rating * rating) as xx,
            sum(weight * other_rating * other_rating) as yy,
            sum(weight * rating * other_rating) as xy
        from sliced
        where rating is not null and other_rating is not null
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
            sums.*,
            null as replicate,
            1.0 as n_drawn
        from sums
        union all
        select
            sums.*,
            resamples.replicate,
            resamples.n_drawn[sums.group_number + 1]
        from sums
        inner join sizes using (release, suite)
        inner join staging.resamples as resamples using (n_groups)

    ),

    totals as (

        select
            relation,
            release,
            suite,
            rater,
            other_rater,
            slice,
            replicate,
            sum(n_drawn * weight) as weight,
            sum(n_drawn * disagreeing) as disagreeing,
            sum(n_drawn * distance) as distance,
            sum(n_drawn * c) as c,
            sum(n_drawn * d) as d,
            sum(n_drawn * cd) as cd,
            sum(n_drawn * x) as x,
            sum(n_drawn * y) as y,
            sum(n_drawn * xx) as xx,
            sum(n_drawn * yy) as yy,
            sum(n_drawn * xy) as xy
        from drawn
        group by all

    ),

    -- a score that is 0 or 1 is its own square
    measured as (

        select
            relation,
            release,
            suite,
            rater,
            other_rater,
            slice,
            replicate,
            -- exactly 1 where none disagrees, whatever the weights
            1 - disagreeing / nullif(weight, 0) as agreement,
            distance / nullif(weight, 0) as distance,
            macros.kappa(weight, c, d, c, d, cd) as kappa,
            macros.kappa(weight, x, y, xx, yy, xy) as weighted_kappa,
            macros.correlation(weight, x, y, xx, yy, xy) as pearson
        from totals

    ),

    summed_up as (

        select
            relation,
            release,
            suite,
            rater,
            other_rater,
            slice,
            any_value(agreement) filter (where replicate is null) as agreement,
            any_value(distance) filter (where replicate is null) as distance,
            any_value(kappa) filter (where replicate is null) as kappa,
            any_value(weighted_kappa) filter (where replicate is null) as weighted_kappa,
            any_value(pearson) filter (where replicate is null) as pearson,
            quantile_cont(agreement, [0.025, 0.975]) filter (where replicate is not null) as agreement_ends,
            quantile_cont(kappa, [0.025, 0.975]) filter (where replicate is not null) as kappa_ends,
            quantile_cont(weighted_kappa, [0.025, 0.975]) filter (where replicate is not null) as weighted_kappa_ends,
            quantile_cont(pearson, [0.025, 0.975]) filter (where replicate is not null) as pearson_ends
        from measured
        group by all

    ),

    agreements as (

        select
            relation,
            release,
            suite,
            rater,
            other_rater,
            slice,
            counts.n,
            counts.n_unscored,
            counts.n_flips,
            counts.n_groups,
            agreement,
            macros.interval_low(agreement, agreement_ends[1], n_groups) as agreement_low,
            macros.interval_high(agreement, agreement_ends[2], n_groups) as agreement_high,
            kappa,
            macros.widened_within_one(kappa, kappa_ends[1], n_groups) as kappa_low,
            macros.widened_within_one(kappa, kappa_ends[2], n_groups) as kappa_high,
            weighted_kappa,
            macros.widened_within_one(weighted_kappa, weighted_kappa_ends[1], n_groups) as weighted_kappa_low,
            macros.widened_within_one(weighted_kappa, weighted_kappa_ends[2], n_groups) as weighted_kappa_high,
            pearson,
            macros.widened_within_one(pearson, pearson_ends[1], n_groups) as pearson_low,
            macros.widened_within_one(pearson, pearson_ends[2], n_groups) as pearson_high,
            distance
        from counts
        left join summed_up using (relation, release, suite, rater, other_rater, slice)

    )

    select * from agreements

)
