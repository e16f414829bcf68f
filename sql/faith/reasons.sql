-- One row per release, model, judge, label and reason of FAITH: why answers are correct, wrong, unreadable or unscored, with one example.
with judged as (

    select
        judgements.release,
        judgements.model,
        judgements.judge,
        coalesce(judgements.label, 'unscored') as label,
        coalesce(judgements.unscored_reason, judgements.rationale) as reason,
        judgements.case_id,
        left(judgements.details ->> 'answer', 60) as answer,
        left(cases.target, 60) as target
    from staging.judgements as judgements
    inner join raw.cases as cases using (release, suite, case_id)
    where judgements.suite = 'faith'

),

reasons as (

    select
        release,
        model,
        judge,
        label,
        reason,
        count(*) as n,
        arg_min(case_id, case_id) as example_case_id,
        arg_min(answer, case_id) as example_answer,
        arg_min(target, case_id) as example_target
    from judged
    group by all

)

select * from reasons
order by release, model, judge, label, n desc, reason
