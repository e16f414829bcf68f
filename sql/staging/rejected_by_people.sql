-- One row per case that people reject, with their reasons: its own question, or its pair's.
--
-- A question is rejected if no fewer auditors say that ours is wrong than say that it is right (`tenkbench audit
-- questions`). The id of a question is that of a pair, of a case, or of neither.
with answered as (

    select
        question_items.release,
        question_items.suite,
        question_items.qa_pair_id,
        count(*) filter (where not audits.agrees) as n_against,
        count(*) filter (where audits.agrees) as n_for,
        string_agg(
            audits.auditor || ': ' || coalesce(audits.note, 'no reason given'), '; ' order by audits.auditor
        ) filter (where not audits.agrees) as detail
    from raw.question_items as question_items
    inner join raw.question_audits as audits using (release, suite, question_item_id)
    group by all

),

rejected as (

    select * from answered
    where n_against > 0 and n_against >= n_for

),

rejected_by_people as (

    select
        cases.release,
        cases.suite,
        cases.case_id,
        any_value('cases.' || cases.variant) as stage,
        string_agg(rejected.detail, '; ' order by rejected.qa_pair_id) as detail
    from raw.cases as cases
    inner join rejected
        on cases.release = rejected.release
        and cases.suite = rejected.suite
        and rejected.qa_pair_id in (cases.case_id, cases.qa_pair_id)
    group by all

)

select * from rejected_by_people
