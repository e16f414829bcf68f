-- One row per verdict with neither rating nor reason, with both, or with a rating that is not 1 to 6.
with verdicts as (

    select 'judgements' as table_name, release, suite, judgement_id as id, rating, unscored_reason
    from raw.judgements
    union all
    select 'rejudgements', release, suite, rejudgement_id, rating, unscored_reason
    from raw.rejudgements
    union all
    select 'attack_verdicts', release, suite, attack_verdict_id, rating, unscored_reason
    from raw.attack_verdicts
    union all
    select 'audits', release, suite, audit_id, rating, null
    from raw.audits

),

undecided as (

    select * from verdicts
    where
        (rating is null) = (unscored_reason is null)
        or rating not between 1 and 6

)

select * from undecided
