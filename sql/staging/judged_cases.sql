-- One row per case, model and judge: a rating or the reason why there is none.
with judgements as (

    select * from raw.judgements

),

cases as (

    select
        case_id,
        qa_pair_id,
        release,
        suite,
        perturbation,
        is_answerable
    from raw.cases

),

qa_pairs as (

    select
        qa_pair_id,
        release,
        suite,
        task
    from raw.qa_pairs

),

pair_groups as (

    select * from staging.pair_groups

),

judged_cases as (

    select
        judgements.judgement_id,
        judgements.case_id,
        cases.qa_pair_id,
        pair_groups.group_number,
        judgements.release,
        cases.suite,
        judgements.model,
        judgements.judge,
        qa_pairs.task,
        cases.perturbation,
        cases.is_answerable,
        judgements.rating,
        macros.is_compliant(judgements.rating)::integer as compliance,
        judgements.unscored_reason
    from judgements
    inner join cases
        on judgements.release = cases.release
        and judgements.suite = cases.suite
        and judgements.case_id = cases.case_id
    inner join qa_pairs
        on cases.release = qa_pairs.release
        and cases.suite = qa_pairs.suite
        and cases.qa_pair_id = qa_pairs.qa_pair_id
    inner join pair_groups
        on cases.release = pair_groups.release
        and cases.suite = pair_groups.suite
        and cases.qa_pair_id = pair_groups.qa_pair_id

)

select * from judged_cases
