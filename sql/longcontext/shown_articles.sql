-- One row per article of each haystack, in the order of its text, with whether it fits the query, by the article's own columns.
--
-- An article fits if it is about the query's company, with the query's sentiment, and dated in the query's range: as
-- far as the query names these.
--
-- The text shows dates if a query that is asked of it needs them.
with texts as (

    select
        records.release,
        records.suite,
        cases.context_id,
        bool_or(queries.since is not null) as shows_dates
    from (select release, suite, case_id, query_id from raw.records) as records
    inner join raw.cases as cases using (release, suite, case_id)
    inner join raw.queries as queries using (release, suite, query_id)
    group by all

),

-- a text of 128K has thousands of articles: their ids are hashed, or joins would take gigabytes
asked as (

    select
        records.release,
        records.suite,
        records.case_id,
        records.query_id,
        list_transform(records.articles, lambda article_id: hash(article_id)) as articles,
        cases.context_id,
        texts.shows_dates
    from raw.records as records
    inner join raw.cases as cases using (release, suite, case_id)
    inner join texts using (release, suite, context_id)

),

shown as (

    select
        * exclude (articles),
        unnest(articles) as article_hash,
        generate_subscripts(articles, 1) as number
    from asked

),

articles as (

    select
        release,
        suite,
        hash(article_id) as article_hash,
        article_id,
        trim(regexp_replace(title, '\s+', ' ', 'g')) as title,
        published,
        source,
        mentions
    from raw.articles

),

shown_articles as (

    select
        shown.* exclude (article_hash),
        articles.article_id,
        articles.title,
        articles.published,
        articles.source,
        queries.company,
        queries.since,
        queries.today,
        placed.kind,
        placed.reason,
        placed.shown_date,
        len(list_filter(articles.mentions, lambda mention: mention.company = queries.company)) > 0 as is_about_company,
        (
            queries.company is null
            or len(list_filter(
                articles.mentions,
                lambda mention: mention.company = queries.company
                and (queries.sentiment is null or coalesce(mention.sentiment = queries.sentiment, false))
            )) > 0
        )
        and (queries.since is null or articles.published between queries.since and queries.today) as fits
    from shown
    inner join articles using (release, suite, article_hash)
    inner join raw.queries as queries using (release, suite, query_id)
    left join raw.placed_articles as placed using (release, suite, case_id, article_id, number)

)

select * from shown_articles
