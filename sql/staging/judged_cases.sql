-- One row per case, model and judge: a rating or a label, or the reason why there is neither; compliance is 1 where the answer holds.
with judgements as (

    select * from staging.judgements

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
        group_number
    from staging.pairs

),

verdicts as (

    select * from suites.verdicts

),

judged_cases as (

    select
        judgements.judgement_id,
        judgements.case_id,
        cases.qa_pair_id,
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
        coalesce(macros.is_compliant(judgements.rating), verdicts.holds)::integer as compliance,
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
    left join verdicts
        on cases.suite = verdicts.suite
        and judgements.label = verdicts.label

)

select * from judged_cases
