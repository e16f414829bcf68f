-- One row per judgement with not exactly one of rating, label, score and reason why there is none, or with one out of range.
with said as (

    select 'judgements' as table_name, release, suite, judgement_id as id, rating, label, score, unscored_reason
    from raw.judgements
    union all
    select 'attack_verdicts', release, suite, attack_verdict_id, rating, null, null, unscored_reason
    from raw.attack_verdicts
    union all
    select 'audits', release, suite, audit_id, rating, null, null, null
    from raw.audits

),

undecided as (

    select said.*
    from said
    where
        (said.rating is not null)::integer
        + (said.label is not null)::integer
        + (said.score is not null)::integer
        + (said.unscored_reason is not null)::integer != 1
        or said.rating not between 1 and 6
        or said.score not between 0 and 1

)

select * from undecided
