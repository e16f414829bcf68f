-- One row per suite, release, judge, metric, slice and pair of models: how far apart they are on what both are scored on.
--
-- value and other_value are the two models' means over the n units that both have a score for, so they can differ from
-- those in the metrics; for a metric made of two, n is the smaller of its parts'. Slices are those of `staging.compared_units`.
--
-- ci_low, ci_high    95 % interval of the difference, from its standard error by a bootstrap over filings, both models on
--                the same draws (`macros.difference_low`); of large differences a little wider than p_clustered says
-- n_only_model, n_only_other    units that only one of the two got right; null for a metric made of two, which has no units
-- p_mcnemar      exact, two-sided, on these units; null for a metric made of two. It takes the pairs of one filing for independent
-- p_clustered    two-sided, of Student's t: the difference over its standard deviation in the bootstrap. It knows
--                filings, but not that few of them are little to go by: it is never below the sign test's on the
--                filings in which the models differ. (Replicates beyond 0 are not counted: of 1,000, no p can be
--                below 0.002, and none would be left of 276 pairs' after Holm.)
-- p_holm         the larger of the two, by Holm's method over all pairs of models in the same release, judge, metric
--                and slice
-- minimum_detectable_difference    what a test at 5 % would have found 4 times in 5, from the standard deviation of this
--                difference; null below six filings, where no difference could be found
with compared as materialized (

    from macros.compared('staging.paired_sums')

),

ranked as (

    select
        *,
        greatest(coalesce(p_mcnemar, 0), p_clustered) as larger_p,
        count(*) over family as n_pairs,
        row_number() over (family order by larger_p) as place
    from compared
    window family as (partition by suite, release, judge, metric, slice)

),

comparisons as (

    select
        suite,
        release,
        judge,
        metric,
        slice,
        model,
        other_model,
        n,
        value,
        other_value,
        difference,
        ci_low,
        ci_high,
        n_only_model,
        n_only_other,
        p_mcnemar,
        p_clustered,
        least(
            1,
            max(larger_p * (n_pairs - place + 1)) over (
                partition by suite, release, judge, metric, slice
                order by place
            )
        ) as p_holm,
        minimum_detectable_difference
    from ranked

)

select * from comparisons
order by suite, release, judge, metric, slice, p_holm, model, other_model
