-- One row per release, task and length: how far the articles of one record's haystack are also in another's of the same length.
--
-- Of two records drawn at random, share_in_another is the mean share of the one's articles that the other has.
with records as (

    select
        records.release,
        records.suite,
        queries.task,
        records.length,
        records.number,
        records.articles
    from raw.records as records
    inner join raw.queries as queries using (release, suite, query_id)
    inner join raw.cases as cases using (release, suite, case_id)
    where records.n_needles > 0
    qualify row_number() over (
        partition by records.release, records.suite, queries.task, records.length, records.number
        order by cases.variant
    ) = 1

),

shown as (

    select
        release,
        suite,
        task,
        length,
        unnest(articles) as article_id
    from records

),

uses as (

    select
        *,
        count(*) as n_uses
    from shown
    group by all

),

sizes as (

    select
        release,
        suite,
        task,
        length,
        count(*) as n_records,
        avg(len(articles)) as mean_articles
    from records
    group by all

),

overlap as (

    select
        sizes.release,
        sizes.task,
        sizes.length,
        sizes.n_records,
        sizes.mean_articles,
        count(*) as n_distinct_articles,
        sum(uses.n_uses * (uses.n_uses - 1)) / nullif(any_value(sizes.n_records) - 1, 0) / sum(uses.n_uses) as share_in_another
    from uses
    inner join sizes using (release, suite, task, length)
    group by all

)

select * from overlap
order by release, task, length
