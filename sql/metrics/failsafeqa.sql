-- One row per release, model, judge, metric and slice of FailSafeQA.
--
-- compliance           share of answers rated 4 or better, by perturbation
-- robustness           share of pairs whose answers are compliant under all five answerable perturbations
-- context_grounding    share of compliant answers to what the context cannot answer
-- llmc                 LLM Compliance: the two weighed by beta; n is the smaller of their two n
--
-- n counts what is scored, n_unscored what is not and stays out of the value: for robustness also the pairs
-- that lack one of the five cases.
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
        count(compliance) as n,
        count(*) - count(compliance) as n_unscored,
        avg(compliance) as value
    from judged_cases
    group by grouping sets (
        (suite, release, model, judge, perturbation),
        (suite, release, model, judge, perturbation, task)
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
        count(is_robust) as n,
        count(*) - count(is_robust) as n_unscored,
        avg(is_robust) as value
    from robust_pairs
    group by grouping sets (
        (suite, release, model, judge),
        (suite, release, model, judge, task)
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
        count(compliance) as n,
        count(*) - count(compliance) as n_unscored,
        avg(compliance) as value
    from judged_cases
    where not macros.is_answerable_perturbation(perturbation)
    group by grouping sets (
        (suite, release, model, judge),
        (suite, release, model, judge, task),
        (suite, release, model, judge, perturbation)
    )

),

llmc as (

    select
        suite,
        release,
        model,
        judge,
        'llmc' as metric,
        slice,
        least(coalesce(robustness.n, 0), coalesce(context_grounding.n, 0)) as n,
        coalesce(robustness.n_unscored, 0)
        + coalesce(context_grounding.n_unscored, 0) as n_unscored,
        macros.llm_compliance(robustness.value, context_grounding.value, macros.beta()) as value
    from robustness
    full outer join context_grounding using (suite, release, model, judge, slice)
    where slice not like 'perturbation=%'

),

all_metrics as (

    select * from compliance
    union all
    select * from robustness
    union all
    select * from context_grounding
    union all
    select * from llmc

)

select * from all_metrics
