-- One row per case, model and judge: a rating, label or score, or the reason why there is none; compliance is that of a rating.
--
-- The label `unreadable` is a reply that no judge could read: it counts as wrong in every suite.
with cases as materialized ( -- few: millions of judgements are joined with them once

    select
        cases.case_id,
        cases.qa_pair_id,
        cases.release,
        cases.suite,
        cases.variant,
        cases.is_answerable,
        pairs.task
    from raw.cases as cases
    inner join raw.qa_pairs as pairs using (release, suite, qa_pair_id)

)

select
    judgements.judgement_id,
    judgements.case_id,
    cases.qa_pair_id,
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
    judgements.details,
    if(judgements.label = 'unreadable', 0, macros.is_compliant(judgements.rating)::integer) as compliance,
    judgements.unscored_reason,
    if(judgements.label = 'unreadable', judgements.rationale, null) as unreadable_reason
from staging.judgements as judgements
inner join cases using (release, suite, case_id)
where judgements.other_request_id is null
