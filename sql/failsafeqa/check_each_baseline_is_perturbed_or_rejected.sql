-- One row per baseline case of FailSafeQA and variant that has not exactly one case or one reject.
with rejects as (

    select
        release,
        suite,
        reject_id,
        parent_id as case_id,
        replace(stage, 'cases.', '') as variant
    from raw.rejects
    where stage like 'cases.%'

),

expected as (

    select
        cases.release,
        cases.suite,
        cases.case_id,
        cases.qa_pair_id,
        unnest(list_filter(failsafeqa.perturbations(), lambda variant: variant != 'baseline')) as variant
    from raw.cases as cases
    where cases.suite = 'failsafeqa' and cases.variant = 'baseline'

),

counted as (

    select
        expected.release,
        expected.suite,
        expected.case_id,
        expected.variant,
        count(distinct cases.case_id) as n_cases,
        count(distinct rejects.reject_id) as n_rejects
    from expected
    left join raw.cases as cases using (release, suite, qa_pair_id, variant)
    left join rejects
        on expected.release = rejects.release
        and expected.suite = rejects.suite
        and expected.case_id = rejects.case_id
        and expected.variant = rejects.variant
    group by all
    having n_cases + n_rejects != 1

)

select * from counted
