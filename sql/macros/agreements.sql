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

    cells as materialized (

        select
            relation,
            release,
            suite,
            rater,
            other_rater,
            slice,
            row_number() over () as cell_number,
            count(*) filter (where rating is not null and other_rating is not null) as n,
            count(*) filter (where rating is null or other_rating is null) as n_unscored,
            count(*) filter (where compliance != other_compliance) as n_flips,
            count(distinct group_number) filter (
                where rating is not null and other_rating is not null
            ) as n_groups
        from sliced
        group by all

    ),

    sums as (

        select
            cells.release,
            cells.suite,
            cells.cell_number,
            sliced.group_number,
            sum(weight)::double as weight,
            sum(weight * (compliance != other_compliance)::integer)::double as disagreeing,
            sum(weight * abs(rating - other_rating))::double as distance,
            sum(weight * compliance)::double as c,
            sum(weight * other_compliance)::double as d,
            sum(weight * compliance * other_compliance)::double as cd,
            sum(weight * rating)::double as x,
            sum(weight * other_rating)::double as y,
            sum(weight * rating * rating)::double as xx,
            sum(weight * other_rating * other_rating)::double as yy,
            sum(weight * rating * other_rating)::double as xy
        from sliced
        inner join cells using (relation, release, suite, rater, other_rater, slice)
        where rating is not null and other_rating is not null
        group by all

    ),

    amounts as materialized (

        unpivot sums
        on weight, disagreeing, distance, c, d, cd, x, y, xx, yy, xy
        into name part value amount

    ),

    redrawn as (

        from macros.redrawn('amounts')

    ),

    -- replicate 0 is the sample itself
    replicates as (

        select
            cell_number,
            part,
            0 as replicate,
            sum(amount) as amount
        from amounts
        group by all
        union all
        select
            cell_number,
            part,
            unnest(range(1, len(redrawn) + 1)),
            unnest(redrawn)
        from redrawn

    ),

    totals as (

        select
            cell_number,
            replicate,
            any_value(amount) filter (where part = 'weight') as weight,
            any_value(amount) filter (where part = 'disagreeing') as disagreeing,
            any_value(amount) filter (where part = 'distance') as distance,
            any_value(amount) filter (where part = 'c') as c,
            any_value(amount) filter (where part = 'd') as d,
            any_value(amount) filter (where part = 'cd') as cd,
            any_value(amount) filter (where part = 'x') as x,
            any_value(amount) filter (where part = 'y') as y,
            any_value(amount) filter (where part = 'xx') as xx,
            any_value(amount) filter (where part = 'yy') as yy,
            any_value(amount) filter (where part = 'xy') as xy
        from replicates
        group by all

    ),

    -- a score that is 0 or 1 is its own square
    measured as (

        select
            cell_number,
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
            cell_number,
            any_value(agreement) filter (where replicate = 0) as agreement,
            any_value(distance) filter (where replicate = 0) as distance,
            any_value(kappa) filter (where replicate = 0) as kappa,
            any_value(weighted_kappa) filter (where replicate = 0) as weighted_kappa,
            any_value(pearson) filter (where replicate = 0) as pearson,
            stddev_pop(agreement) filter (where replicate > 0) as agreement_deviation,
            quantile_cont(kappa, [0.025, 0.975]) filter (where replicate > 0) as kappa_ends,
            quantile_cont(weighted_kappa, [0.025, 0.975]) filter (where replicate > 0) as weighted_kappa_ends,
            quantile_cont(pearson, [0.025, 0.975]) filter (where replicate > 0) as pearson_ends
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
            cells.n,
            cells.n_unscored,
            cells.n_flips,
            cells.n_groups,
            agreement,
            macros.standard_error(agreement_deviation, n_groups) as agreement_error,
            macros.interval_low(agreement, agreement_error, n_groups) as agreement_low,
            macros.interval_high(agreement, agreement_error, n_groups) as agreement_high,
            kappa,
            macros.interval_within_one(kappa, kappa_ends, n_groups)[1] as kappa_low,
            macros.interval_within_one(kappa, kappa_ends, n_groups)[2] as kappa_high,
            weighted_kappa,
            macros.interval_within_one(weighted_kappa, weighted_kappa_ends, n_groups)[1] as weighted_kappa_low,
            macros.interval_within_one(weighted_kappa, weighted_kappa_ends, n_groups)[2] as weighted_kappa_high,
            pearson,
            macros.interval_within_one(pearson, pearson_ends, n_groups)[1] as pearson_low,
            macros.interval_within_one(pearson, pearson_ends, n_groups)[2] as pearson_high,
            distance
        from cells
        left join summed_up using (cell_number)

    )

    select * from agreements

)
