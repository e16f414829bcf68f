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

    select said.*
    from said
    left join suites.verdicts as known using (suite, verdict)
    where
        (said.rating is not null)::integer
        + (said.verdict is not null)::integer
        + (said.unscored_reason is not null)::integer != 1
        or said.rating not between 1 and 6
        or (said.verdict is not null and known.verdict is null)

)

select * from undecided
