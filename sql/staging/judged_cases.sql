-- One row per case, model and judge: a rating, label or score, or the reason why there is none; compliance is that of a rating.
with judgements as (

    select * from staging.judgements
    where other_request_id is null

),

cases as (

    select
        case_id,
        qa_pair_id,
        release,
        suite,
        variant,
        is_answerable
    from raw.cases

),

pairs as (

    select
        qa_pair_id,
        release,
        suite,
        task,
        pair_number,
        filing_id,
        group_number
    from staging.pairs

),

judged_cases as (

    select
        judgements.judgement_id,
        judgements.case_id,
        cases.qa_pair_id,
        pairs.pair_number,
        pairs.filing_id,
        pairs.group_number,
        judgements.release,
        cases.suite,
        judgements.model,
        judgements.judge,
        pairs.task,
        cases.variant,
        cases.is_answerable,
        judgements.rating,
        judgements.label,
        judgements.score,
        macros.is_compliant(judgements.rating)::integer as compliance,
        judgements.unscored_reason
    from judgements
    inner join cases
        on judgements.release = cases.release
        and judgements.suite = cases.suite
        and judgements.case_id = cases.case_id
    inner join pairs
        on cases.release = pairs.release
        and cases.suite = pairs.suite
        and cases.qa_pair_id = pairs.qa_pair_id

)

select * from judged_cases
