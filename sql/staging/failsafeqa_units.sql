-- One row per cell of FailSafeQA's metrics (release, model, judge, metric, slice) and thing that it counts.
--
-- The thing is a case, or for robustness a pair: `case_ids` are the cases that decide it, and `score` is 1, 0, or null
-- where it is unscored. LLM Compliance is made of two shares: `part` says in which a thing counts, and is the metric else.
with judged_cases as not materialized (

    select
        *,
        compliance as score
    from staging.judged_cases
    where suite = 'failsafeqa'

),

robust_pairs as (

    select * from staging.robust_pairs
    where suite = 'failsafeqa'

),

answerable_cases as (

    select
        suite,
        release,
        qa_pair_id,
        list(case_id order by case_id) as case_ids
    from raw.cases
    where macros.is_answerable_perturbation(variant)
    group by all

),

compliance as (

    select
        suite,
        release,
        model,
        judge,
        'compliance' as part,
        slice,
        qa_pair_id,
        [case_id] as case_ids,
        score
    from judged_cases
    inner join staging.case_slices as case_slices using (suite, release, model, case_id)

),

robustness as (

    select
        suite,
        release,
        model,
        judge,
        'robustness' as part,
        slice,
        qa_pair_id,
        answerable_cases.case_ids,
        is_robust as score
    from robust_pairs
    inner join staging.judged_pair_slices as slices using (suite, release, model, qa_pair_id)
    inner join answerable_cases using (suite, release, qa_pair_id)

),

context_grounding as (

    select
        suite,
        release,
        model,
        judge,
        'context_grounding' as part,
        slice,
        qa_pair_id,
        [case_id] as case_ids,
        score
    from judged_cases
    inner join staging.case_slices as case_slices using (suite, release, model, case_id)
    where not macros.is_answerable_perturbation(variant)

),

shares as (

    select * from compliance
    union all
    select * from robustness
    union all
    select * from context_grounding

),

failsafeqa_units as (

    select
        part as metric,
        *
    from shares
    union all
    select
        'llmc' as metric,
        *
    from shares
    where
        part in ('robustness', 'context_grounding')
        and slice not like 'variant=%'
        and slice not like 'answer_position=%'

)

select * from failsafeqa_units
