-- One row per article of each haystack, in the order of its text, with whether it fits the query, by the article's own columns.
--
-- An article fits if it is about the query's company, with the query's sentiment, and dated in the query's range: as
-- far as the query names these.
--
-- A text of a task that asks for dates shows them.
with haystacks as (

    -- a text of 128K has thousands of articles: their ids are hashed, or joins would take gigabytes
    select
        records.release,
        records.suite,
        records.case_id,
        records.query_id,
        list_transform(records.articles, lambda article_id: hash(article_id)) as articles,
        queries.since is not null as shows_dates
    from raw.records as records
    inner join raw.queries as queries using (release, suite, query_id)

),

shown as (

    select
        * exclude (articles),
        unnest(articles) as article_hash,
        generate_subscripts(articles, 1) as number
    from haystacks

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
