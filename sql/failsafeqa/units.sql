-- One row per release, model, judge, metric and unit of FailSafeQA: what the unit counts, null where it is unscored.
--
-- compliance           share of answers rated 4 or better; a unit is a case
-- robustness           share of pairs whose answers are compliant under all five answerable perturbations; a unit is a pair
-- context_grounding    share of compliant answers to what the context cannot answer; a unit is a case
with judged_cases as not materialized (

    select * from staging.judged_cases
    where suite = 'failsafeqa'

),

pairs as (

    select
        release,
        suite,
        qa_pair_id,
        filing_id
    from staging.pairs

),

answerable_cases as (

    select
        release,
        suite,
        qa_pair_id,
        list(case_id order by case_id) as case_ids
    from raw.cases
    where failsafeqa.is_answerable_perturbation(variant)
    group by all

),

compliance as (

    select
        judged_cases.suite,
        judged_cases.release,
        judged_cases.model,
        judged_cases.judge,
        'compliance' as metric,
        judged_cases.case_id as unit_id,
        judged_cases.filing_id as group_id,
        map {'variant': judged_cases.variant, 'task': judged_cases.task} as traits,
        judged_cases.compliance as numerator,
        [judged_cases.case_id] as case_ids
    from judged_cases

),

context_grounding as (

    select * replace ('context_grounding' as metric)
    from compliance
    where not failsafeqa.is_answerable_perturbation(traits['variant'])

),

robustness as (

    select
        robust_pairs.suite,
        robust_pairs.release,
        robust_pairs.model,
        robust_pairs.judge,
        'robustness' as metric,
        robust_pairs.qa_pair_id as unit_id,
        pairs.filing_id as group_id,
        map {'task': robust_pairs.task} as traits,
        robust_pairs.is_robust as numerator,
        answerable_cases.case_ids
    from failsafeqa.robust_pairs as robust_pairs
    inner join pairs using (release, suite, qa_pair_id)
    inner join answerable_cases using (release, suite, qa_pair_id)

),

every_metric as (

    select * from compliance
    union all
    select * from context_grounding
    union all
    select * from robustness

),

units as (

    select
        suite,
        release,
        model,
        null::varchar as other_model,
        judge,
        metric,
        unit_id,
        group_id,
        null::varchar as donor_group_id,
        traits,
        numerator,
        if(numerator is null, null, 1) as denominator,
        case_ids
    from every_metric

)

select * from units
