-- One row per drawn question and auditor who answered any question of the draw.
--
-- What a row says is null where the auditor left it empty. A question that its release no longer has is left out here (the
-- rows themselves stay in `raw`). `weight` is how many questions of its kind each rated one stands for.
-- What a suite asks people may be pairs, or have ids of its own.
with pairs as (

    select
        release,
        suite,
        qa_pair_id,
        task,
        group_number
    from staging.pairs

    union

    select
        release,
        suite,
        qa_pair_id,
        task,
        group_number
    from suites.questions

),

auditors as (

    select distinct
        release,
        suite,
        question_items.draw_id,
        audits.auditor
    from raw.question_audits as audits
    inner join raw.question_items as question_items using (release, suite, question_item_id)

),

question_audits as (

    select
        release,
        suite,
        auditor,
        qa_pair_id,
        pairs.task,
        pairs.group_number,
        audits.answer,
        audits.agrees,
        audits.rated_kind,
        question_items.n_stratum / count(audits.agrees) over (
            partition by release, suite, question_items.draw_id, question_items.stratum, auditor
        ) as weight
    from raw.question_items as question_items
    inner join auditors using (release, suite, draw_id)
    inner join pairs using (release, suite, qa_pair_id)
    left join raw.question_audits as audits using (release, suite, question_item_id, auditor)

)

select * from question_audits
