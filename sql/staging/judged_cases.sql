-- One row per case, model and judge: a rating, label or score, or the reason why there is none; compliance is that of a rating.
--
-- The label `unreadable` is a reply that no judge could read: it counts as wrong in every suite.
--
-- donor_group_number is the group of another filing that the case takes something from, such as the query of another
-- pair (`donor_qa_pair_id` in its details); null for most.
with judgements as (

    select * from staging.judgements
    where other_request_id is null

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

-- few: millions of judgements are joined with them once
cases as materialized (

    select
        cases.case_id,
        cases.qa_pair_id,
        cases.release,
        cases.suite,
        cases.variant,
        cases.is_answerable,
        pairs.task,
        pairs.pair_number,
        pairs.filing_id,
        pairs.group_number,
        nullif(donors.group_number, pairs.group_number) as donor_group_number
    from raw.cases as cases
    inner join pairs using (release, suite, qa_pair_id)
    left join pairs as donors
        on cases.release = donors.release
        and cases.suite = donors.suite
        and cases.details ->> '$.donor_qa_pair_id' = donors.qa_pair_id

),

judged_cases as (

    select
        judgements.judgement_id,
        judgements.case_id,
        cases.qa_pair_id,
        cases.pair_number,
        cases.filing_id,
        cases.group_number,
        cases.donor_group_number,
        judgements.release,
        cases.suite,
        judgements.model,
        judgements.judge,
        cases.task,
        cases.variant,
        cases.is_answerable,
        judgements.rating,
        judgements.label,
        judgements.score,
        if(judgements.label = 'unreadable', 0, macros.is_compliant(judgements.rating)::integer) as compliance,
        judgements.unscored_reason,
        if(judgements.label = 'unreadable', judgements.rationale, null) as unreadable_reason
    from judgements
    inner join cases
        on judgements.release = cases.release
        and judgements.suite = cases.suite
        and judgements.case_id = cases.case_id

)

select * from judged_cases
