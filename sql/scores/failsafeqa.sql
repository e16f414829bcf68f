-- One row per release, model, judge, metric and unit that it is a mean over: the unit's score, null where it is unscored.
--
-- A unit is a case, for robustness a pair. What is compared between models reads nothing else of a suite: `cut` and
-- `other_cut` are the slices in which they are compared besides the whole, null where a unit lies in none.
with judged_cases as (

    select * from staging.judged_cases
    where suite = 'failsafeqa'

),

compliance as (

    select
        suite,
        release,
        model,
        judge,
        'compliance' as metric,
        case_id as unit_id,
        variant,
        macros.slice_name(variant, null) as cut,
        macros.slice_name(null, task) as other_cut,
        group_number,
        compliance as score
    from judged_cases

),

robustness as (

    select
        suite,
        release,
        model,
        judge,
        'robustness' as metric,
        qa_pair_id as unit_id,
        null as cut,
        macros.slice_name(null, task) as other_cut,
        group_number,
        is_robust as score
    from staging.robust_pairs
    where suite = 'failsafeqa'

),

context_grounding as (

    select * replace ('context_grounding' as metric)
    from compliance
    where not macros.is_answerable_perturbation(variant)

),

failsafeqa as (

    select * exclude (variant) from compliance
    union all
    select * from robustness
    union all
    select * exclude (variant) from context_grounding

)

select * from failsafeqa
