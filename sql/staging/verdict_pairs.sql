-- One row per answer that was judged twice, and two of its ratings, or labels `correct` or `wrong`; null if unscored.
--
-- relation        rater            other_rater
-- judged again    a judge          the same judge
-- two judges      a judge          another, the later in the alphabet
-- audited         an auditor       a judge; and `all auditors`, whoever rated
-- two auditors    an auditor       another, the later in the alphabet
--
-- An answer that never came was put to no judge, and only judges that rate are compared with themselves. `weight` says
-- how many answers a row stands for: one, where all were rated or were drawn alike; audits are drawn from strata.
with every_time as (

    select
        judgements.release,
        judgements.suite,
        judgements.judgement_id,
        judgements.request_id,
        judgements.model,
        judgements.judge,
        judgements.repeat,
        judgements.rating,
        if(judgements.label in ('correct', 'wrong'), judgements.label, null) as label
    from raw.judgements as judgements
    where judgements.judge_request_id is not null and judgements.other_request_id is null

),

judged as (

    select
        * exclude (repeat),
        max(rating) over (partition by release, suite, judge) is not null as rates
    from every_time
    where repeat = 0

),

ratings as (

    select
        'judged again' as relation,
        judged.release,
        judged.suite,
        judged.request_id,
        judged.judge as rater,
        judged.judge as other_rater,
        judged.rating,
        again.rating as other_rating,
        judged.label,
        again.label as other_label,
        1.0 as weight
    from judged
    inner join every_time as again using (release, suite, request_id, judge)
    where again.repeat > 0 and judged.rates

    union all

    select
        'two judges',
        judged.release,
        judged.suite,
        judged.request_id,
        judged.judge,
        others.judge,
        judged.rating,
        others.rating,
        judged.label,
        others.label,
        1.0
    from judged
    inner join judged as others using (release, suite, request_id)
    where judged.judge < others.judge
        -- two judges of a suite that models play ask different things, unless both rate or share a method
        and (
            (judged.rates and others.rates)
            or replace(judged.judge, macros.judge_model(judged.judge), '')
            = replace(others.judge, macros.judge_model(others.judge), '')
        )

    union all

    select
        'audited',
        judged.release,
        judged.suite,
        judged.request_id,
        unnest([audit_ratings.auditor, 'all auditors']),
        judged.judge,
        audit_ratings.rating,
        judged.rating,
        null,
        null,
        audit_ratings.n_stratum
        / count(*) over (
            partition by
                release, suite, judged.judge, audit_ratings.auditor, audit_ratings.draw_id, audit_ratings.stratum
        )
    from staging.audit_ratings as audit_ratings
    inner join judged using (release, suite, request_id)

    union all

    select
        'two auditors',
        audit_ratings.release,
        audit_ratings.suite,
        audit_ratings.request_id,
        audit_ratings.auditor,
        others.auditor,
        audit_ratings.rating,
        others.rating,
        null,
        null,
        audit_ratings.n_stratum
        / count(*) over (
            partition by
                release, suite, others.auditor, audit_ratings.auditor, audit_ratings.draw_id, audit_ratings.stratum
        )
    from staging.audit_ratings as audit_ratings
    inner join staging.audit_ratings as others using (release, suite, audit_item_id)
    where audit_ratings.auditor < others.auditor

),

answers as (

    select
        answer_requests.release,
        answer_requests.suite,
        answer_requests.request_id,
        answer_requests.case_id,
        answer_requests.model,
        macros.rubric(answer_requests.variant, answer_requests.is_answerable) as rubric,
        pairs.group_number
    from staging.answer_requests as answer_requests
    inner join staging.pairs as pairs using (release, suite, qa_pair_id)

),

verdict_pairs as (

    select
        ratings.*,
        answers.case_id,
        answers.model,
        answers.rubric,
        answers.group_number,
        macros.is_compliant(ratings.rating)::integer as compliance,
        macros.is_compliant(ratings.other_rating)::integer as other_compliance
    from ratings
    inner join answers using (release, suite, request_id)

)

select * from verdict_pairs
