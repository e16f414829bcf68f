-- One row per release, model, judge, metric and slice of FailSafeQA.
--
-- compliance, robustness and context_grounding are those of `staging.failsafeqa_sums`; llmc is LLM Compliance, the
-- last two weighed by beta, and its n the smaller of their two n. Slices are those of `staging.case_slices`.
--
-- n, n_unscored, ci_low, ci_high, worst and best are those of `macros.measured`; n_groups counts the groups of filings
-- with something scored, of llmc those of its part that has fewer.
with shares as materialized (

    from macros.measured('staging.failsafeqa_sums')

),

-- a slice by where the answer stands has nothing that the context cannot answer
robustness as (

    select * from shares
    where metric = 'robustness' and slice not like 'answer_position=%'

),

context_grounding as (

    select * from shares
    where metric = 'context_grounding' and slice not like 'variant=%'

),

combined as (

    select
        suite,
        release,
        model,
        judge,
        'llmc' as metric,
        slice,
        least(coalesce(robustness.n, 0), coalesce(context_grounding.n, 0)) as n,
        coalesce(robustness.n_unscored, 0) + coalesce(context_grounding.n_unscored, 0) as n_unscored,
        macros.llm_compliance(robustness.value, context_grounding.value, macros.beta()) as value,
        macros.llm_compliance(robustness.worst, context_grounding.worst, macros.beta()) as worst,
        macros.llm_compliance(robustness.best, context_grounding.best, macros.beta()) as best,
        macros.llm_compliance(robustness.ci_low, context_grounding.ci_low, macros.beta()) as low_of_both,
        macros.llm_compliance(robustness.ci_high, context_grounding.ci_high, macros.beta()) as high_of_both,
        least(robustness.n_groups, context_grounding.n_groups) as n_groups,
        list_transform(
            list_zip(robustness.replicates, context_grounding.replicates),
            lambda drawn: macros.llm_compliance(drawn[1], drawn[2], macros.beta())
        ) as replicates
    from robustness
    full outer join context_grounding using (suite, release, model, judge, slice)

),

llmc as (

    select
        *,
        macros.standard_error(list_aggregate(replicates, 'stddev_pop'), n_groups) as standard_error,
        -- it grows with both: where no replicate differs, its ends are those of their ends
        if(standard_error = 0 or low_of_both is null, low_of_both, macros.interval_low(value, standard_error, n_groups)) as ci_low,
        if(standard_error = 0 or high_of_both is null, high_of_both, macros.interval_high(value, standard_error, n_groups)) as ci_high
    from combined

),

failsafeqa as (

    select
        suite,
        release,
        model,
        judge,
        metric,
        slice,
        n,
        n_unscored,
        value,
        ci_low,
        ci_high,
        worst,
        best,
        n_groups
    from (
        select * from shares
        union all by name
        select * from llmc
    )

)

select * from failsafeqa
