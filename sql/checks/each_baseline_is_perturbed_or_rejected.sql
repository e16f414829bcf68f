-- One row per baseline case of FailSafeQA and perturbation that has not exactly one case or one reject.
with cases as (

    select
        release,
        suite,
        case_id,
        qa_pair_id,
        perturbation
    from raw.cases

),

rejects as (

    select
        release,
        suite,
        reject_id,
        parent_id as case_id,
        replace(stage, 'perturbations.', '') as perturbation
    from raw.rejects
    where stage like 'perturbations.%'

),

perturbations as (

    select unnest(macros.perturbations()) as perturbation

),

expected as (

    select
        cases.release,
        cases.suite,
        cases.case_id,
        cases.qa_pair_id,
        perturbations.perturbation
    from cases
    cross join perturbations
    where cases.suite = 'failsafeqa' and cases.perturbation = 'baseline' and perturbations.perturbation != 'baseline'

),

counted as (

    select
        expected.release,
        expected.suite,
        expected.case_id,
        expected.perturbation,
        count(distinct cases.case_id) as n_cases,
        count(distinct rejects.reject_id) as n_rejects
    from expected
    left join cases using (release, suite, qa_pair_id, perturbation)
    left join rejects
        on expected.release = rejects.release
        and expected.suite = rejects.suite
        and expected.case_id = rejects.case_id
        and expected.perturbation = rejects.perturbation
    group by all
    having n_cases + n_rejects != 1

)

select * from counted
