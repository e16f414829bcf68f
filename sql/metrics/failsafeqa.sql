-- One row per release, model, judge, metric and slice of FailSafeQA.
--
-- compliance, robustness and context_grounding are those of `staging.failsafeqa_sums`; llmc is LLM Compliance, the
-- last two weighed by beta, and its n the smaller of their two n.
--
-- n counts what is scored, n_unscored what is not and stays out of the value. ci_low and ci_high are the ends of the
-- 95 % interval by a bootstrap over filings; worst and best are the value where all that is unscored had failed or held.
with sums as (

    select * from staging.failsafeqa_sums

),

shares as (

    select
        suite,
        release,
        model,
        judge,
        metric,
        slice,
        sum(n)::bigint as n,
        sum(n_unscored)::bigint as n_unscored,
        sum(total) / nullif(sum(n), 0) as value,
        sum(total) / (sum(n) + sum(n_unscored)) as worst,
        (sum(total) + sum(n_unscored)) / (sum(n) + sum(n_unscored)) as best,
        count(*) filter (where n > 0) as n_filings
    from sums
    group by all

),

replicates as materialized (

    from macros.replicates('staging.failsafeqa_sums')

),

quantiles as (

    select
        suite,
        release,
        model,
        judge,
        metric,
        slice,
        quantile_cont(value, 0.025) as low,
        quantile_cont(value, 0.975) as high
    from replicates
    group by all

),

measured as (

    select
        shares.* exclude (n_filings),
        macros.interval_low(value, low, n_filings) as ci_low,
        macros.interval_high(value, high, n_filings) as ci_high,
        n_filings
    from shares
    left join quantiles using (suite, release, model, judge, metric, slice)

),

robustness as (

    select * from measured
    where metric = 'robustness'

),

context_grounding as (

    select * from measured
    where metric = 'context_grounding' and slice not like 'perturbation=%'

),

llmc_quantiles as (

    select
        robustness.suite,
        robustness.release,
        robustness.model,
        robustness.judge,
        robustness.slice,
        quantile_cont(macros.llm_compliance(robustness.value, context_grounding.value, macros.beta()), 0.025) as low,
        quantile_cont(macros.llm_compliance(robustness.value, context_grounding.value, macros.beta()), 0.975) as high
    from replicates as robustness
    inner join replicates as context_grounding using (suite, release, model, judge, slice, replicate)
    where robustness.metric = 'robustness' and context_grounding.metric = 'context_grounding'
    group by all

),

combined as (

    select
        suite,
        release,
        model,
        judge,
        slice,
        least(coalesce(robustness.n, 0), coalesce(context_grounding.n, 0)) as n,
        coalesce(robustness.n_unscored, 0) + coalesce(context_grounding.n_unscored, 0) as n_unscored,
        least(robustness.n_filings, context_grounding.n_filings) as n_filings,
        macros.llm_compliance(robustness.value, context_grounding.value, macros.beta()) as value,
        macros.llm_compliance(robustness.worst, context_grounding.worst, macros.beta()) as worst,
        macros.llm_compliance(robustness.best, context_grounding.best, macros.beta()) as best,
        macros.llm_compliance(robustness.ci_low, context_grounding.ci_low, macros.beta()) as both_low,
        macros.llm_compliance(robustness.ci_high, context_grounding.ci_high, macros.beta()) as both_high
    from robustness
    full outer join context_grounding using (suite, release, model, judge, slice)

),

llmc as (

    select
        combined.* exclude (n_filings, both_low, both_high),
        'llmc' as metric,
        -- it grows with both: where no replicate differs, its ends are those of their ends
        case when low = high then both_low else macros.interval_low(value, low, n_filings) end as ci_low,
        case when low = high then both_high else macros.interval_high(value, high, n_filings) end as ci_high
    from combined
    left join llmc_quantiles using (suite, release, model, judge, slice)

),

all_metrics as (

    select * exclude (n_filings) from measured
    union all by name
    select * from llmc

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
        best
    from all_metrics

)

select * from failsafeqa
