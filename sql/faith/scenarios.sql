-- One row per release, model, judge, derived scenario of FAITH and scenario that the model says it took: how many answers.
--
-- share is that of the reported scenario among the model's answers to the derived one; n_correct of these answers are
-- correct. A pair without a derivation has 'no derivation' for a scenario; an answer that cannot be read names 'none'.
with answers as (

    select
        judgements.release,
        judgements.model,
        judgements.judge,
        pairs.traits['scenario'] as derived,
        faith.scenario(judgements.details ->> 'scenario') as reported,
        (judgements.label = 'correct')::integer as is_correct
    from staging.judgements as judgements
    inner join staging.judged_cases as judged_cases using (release, suite, judgement_id)
    inner join staging.pairs as pairs
        on judgements.release = pairs.release
        and judgements.suite = pairs.suite
        and judged_cases.qa_pair_id = pairs.qa_pair_id
    where judgements.suite = 'faith'

),

counted as (

    select
        release,
        model,
        judge,
        derived,
        reported,
        count(*) as n,
        coalesce(sum(is_correct), 0)::bigint as n_correct
    from answers
    group by all

),

scenarios as (

    select
        * exclude (n_correct),
        n / sum(n) over (partition by release, model, judge, derived) as share,
        n_correct
    from counted

)

select * from scenarios
order by release, model, judge, derived, n desc, reported
