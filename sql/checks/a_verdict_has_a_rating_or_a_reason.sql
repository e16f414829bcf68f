-- One row per judgement that says not exactly one of rating, verdict and reason why there is none, or one that there is not.
with said as (

    select 'judgements' as table_name, release, suite, judgement_id as id, rating, verdict, unscored_reason
    from raw.judgements
    union all
    select 'rejudgements', release, suite, rejudgement_id, rating, verdict, unscored_reason
    from raw.rejudgements
    union all
    select 'attack_verdicts', release, suite, attack_verdict_id, rating, null, unscored_reason
    from raw.attack_verdicts
    union all
    select 'audits', release, suite, audit_id, rating, null, null
    from raw.audits

),

undecided as (

    select * from said
    where
        (rating is not null)::integer + (verdict is not null)::integer + (unscored_reason is not null)::integer != 1
        or rating not between 1 and 6
        or verdict not in ('correct', 'wrong')

)

select * from undecided
