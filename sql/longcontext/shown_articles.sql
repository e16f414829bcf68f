-- One row per article of each haystack, in the order of its text, with whether it fits the query, by the article's own columns.
--
-- An article fits if it is about the query's company, with the query's sentiment, and dated in the query's range: as
-- far as the query names these.
--
-- The text shows dates if a query that is asked of it needs them.
with asked as (

    select
        records.release,
        records.suite,
        records.case_id,
        records.query_id,
        records.articles,
        cases.context_id,
        bool_or(queries.since is not null) over (
            partition by records.release, records.suite, cases.context_id
        ) as shows_dates
    from raw.records as records
    inner join raw.cases as cases using (release, suite, case_id)
    inner join raw.queries as queries using (release, suite, query_id)

),

shown as (

    select
        * exclude (articles),
        unnest(articles) as article_id,
        generate_subscripts(articles, 1) as number
    from asked

),

shown_articles as (

    select
        shown.*,
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
    inner join raw.articles as articles using (release, suite, article_id)
    inner join raw.queries as queries using (release, suite, query_id)
    left join raw.placed_articles as placed using (release, suite, case_id, article_id, number)

)

select * from shown_articles
