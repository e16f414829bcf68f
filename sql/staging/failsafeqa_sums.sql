-- One row per release, model, judge, metric, slice and filing: what the filing adds to the metric.
--
-- compliance           share of answers rated 4 or better, by perturbation
-- robustness           share of pairs whose answers are compliant under all five answerable perturbations
-- context_grounding    share of compliant answers to what the context cannot answer
--
-- `n` things are scored and `total` is the sum of their scores; `n_unscored` are not, for robustness also the pairs
-- that lack one of the five cases. A metric is the total over the n of all filings.
with judged_cases as (

    select * from staging.judged_cases
    where suite = 'failsafeqa'

),

robust_pairs as (

    select * from staging.robust_pairs
    where suite = 'failsafeqa'

),

compliance as (

    select
        suite,
        release,
        model,
        judge,
        'compliance' as metric,
        macros.slice_name(perturbation, task) as slice,
        filing_id,
        count(compliance) as n,
        count(*) - count(compliance) as n_unscored,
        coalesce(sum(compliance), 0) as total
    from judged_cases
    group by grouping sets (
        (suite, release, model, judge, filing_id, perturbation),
        (suite, release, model, judge, filing_id, perturbation, task)
    )

),

robustness as (

    select
        suite,
        release,
        model,
        judge,
        'robustness' as metric,
        macros.slice_name(null, task) as slice,
        filing_id,
        count(is_robust) as n,
        count(*) - count(is_robust) as n_unscored,
        coalesce(sum(is_robust), 0) as total
    from robust_pairs
    group by grouping sets (
        (suite, release, model, judge, filing_id),
        (suite, release, model, judge, filing_id, task)
    )

),

context_grounding as (

    select
        suite,
        release,
        model,
        judge,
        'context_grounding' as metric,
        macros.slice_name(perturbation, task) as slice,
        filing_id,
        count(compliance) as n,
        count(*) - count(compliance) as n_unscored,
        coalesce(sum(compliance), 0) as total
    from judged_cases
    where not macros.is_answerable_perturbation(perturbation)
    group by grouping sets (
        (suite, release, model, judge, filing_id),
        (suite, release, model, judge, filing_id, task),
        (suite, release, model, judge, filing_id, perturbation)
    )

),

failsafeqa_sums as (

    select * from compliance
    union all
    select * from robustness
    union all
    select * from context_grounding

)

select * from failsafeqa_sums
