-- One row per release, length and task, and one per length of the paper (see source): how many records and articles there are.
--
-- n_records counts records with needles, and n_articles is the mean of their texts, rounded. tokens_per_article is the
-- length over n_articles: the instruction's tokens count, too.
with records as (

    select
        records.release,
        pairs.task,
        records.length,
        count(distinct records.number) as n_records,
        round(avg(records.n_articles))::bigint as n_articles
    from raw.records as records
    inner join raw.cases as cases using (release, suite, case_id)
    inner join staging.pairs as pairs using (release, suite, qa_pair_id)
    where records.suite = 'longcontext' and records.n_needles > 0
    group by all

),

printed (length, n_articles, n_records) as (

    values
    (4000, 116, 110),
    (8000, 233, 110),
    (16000, 462, 85),
    (32000, 950, 85),
    (64000, 1987, 85),
    (128000, 4010, 85)

),

haystacks as (

    select
        'this release' as source,
        *
    from records

    union all by name

    select
        'the paper' as source,
        'all' as task,
        *
    from printed

)

select
    *,
    length / n_articles as tokens_per_article
from haystacks
order by source desc, release, length, task
