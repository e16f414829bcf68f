-- One row per release, model, judge, scenario of FAITH's figures and scenario that the model says it took: how many answers.
--
-- share is that of the reported scenario among the model's answers to the first one; n_correct of these answers are
-- correct. An answer that cannot be read names 'none', and one that names anything else 'another'.
with answers as (

    select
        release,
        judged_cases.model,
        judged_cases.judge,
        pairs.traits['scenario'] as derived,
        judged_cases.details ->> 'scenario' as said,
        count(*) as n,
        count(*) filter (where judged_cases.label = 'correct') as n_correct
    from staging.judged_cases as judged_cases
    inner join staging.pairs as pairs using (release, suite, qa_pair_id)
    where suite = 'faith'
    group by all

),

-- a letter, alone or before a colon or the like, or a name, with or without its letter; a letter before a blank and a word
-- is none: 'A comparison' has an article, and 'B or C' says two
named as (

    select
        macros.scenario(letter) as reported,
        '(?is)\W*(scenario:?\s+)?('
        || letter || '(\W*|\s*[).:]\s.*|\s+[–—-]\s.*)|(' || letter || '\W+)?' || replace(reported, ' ', '[ _-]') || '\b.*)' as pattern
    from (select unnest(['A', 'B', 'C', 'D']) as letter)

),

counted as (

    select
        answers.release,
        answers.model,
        answers.judge,
        answers.derived,
        coalesce(named.reported, if(coalesce(trim(answers.said), '') = '', 'none', 'another')) as reported,
        sum(answers.n)::bigint as n,
        sum(answers.n_correct)::bigint as n_correct
    from answers
    left join named on regexp_full_match(answers.said, named.pattern)
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
