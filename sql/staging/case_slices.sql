-- One row per case, model and slice that the case lies in, where a judge has looked at the model's answer.
with judged_cases as (

    select distinct
        release,
        suite,
        case_id,
        qa_pair_id,
        model,
        variant,
        is_answerable,
        task
    from staging.judged_cases

),

of_cases as (

    select
        release,
        suite,
        case_id,
        model,
        unnest([macros.slice_name(variant, null), macros.slice_name(variant, task)]) as slice
    from judged_cases

),

of_pairs as (

    select
        judged_cases.release,
        judged_cases.suite,
        judged_cases.case_id,
        judged_cases.model,
        slices.slice
    from judged_cases
    inner join staging.judged_pair_slices as slices using (release, suite, qa_pair_id, model)
    where judged_cases.is_answerable or not slices.is_of_answers

),

case_slices as (

    select * from of_cases
    union all
    select * from of_pairs

)

select * from case_slices
