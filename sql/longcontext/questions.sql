-- One row per labelled sentiment of an article towards a company, as a question for people (`tenkbench audit questions`).
--
-- Articles that records of Company and sentiment hold as needles or hard negatives come first; others, which are in no such
-- record, are spare. Each sentiment is a stratum. A question stands for no pair, so it has an id and a group of its own:
-- labels of one company may fail together.
with records as (

    select
        records.release,
        records.suite,
        records.case_id
    from raw.records as records
    inner join raw.queries as queries using (release, suite, query_id)
    where queries.sentiment is not null

),

placed as (

    select distinct
        release,
        suite,
        article_id
    from raw.placed_articles
    semi join records using (release, suite, case_id)

),

mentions as (

    select
        release,
        suite,
        article_id,
        title,
        unnest(mentions, recursive := true)
    from raw.articles

),

questions as (

    select
        mentions.release,
        mentions.suite,
        'label-' || left(md5(article_id || ' ' || mentions.company), 16) as qa_pair_id,
        'company_sentiment' as task,
        'company_sentiment: ' || mentions.sentiment || if(placed.article_id is null, ', in no record', '') as stratum,
        placed.article_id is null as is_spare,
        (
            dense_rank() over (
                partition by mentions.release, mentions.suite order by md5(mentions.company), mentions.company
            ) - 1
        ) % 256 as group_number,
        'What does the title mean for an investor in ' || mentions.company
        || '? Answer one of: ' || coalesce(classes.sentiments, 'positive, neutral, negative') || '.' as query,
        mentions.sentiment as answer,
        mentions.title as text
    from mentions
    left join (select distinct release, suite, sentiments from raw.queries where sentiment is not null) as classes
        using (release, suite)
    left join placed using (release, suite, article_id)
    where mentions.sentiment is not null

)

select * from questions
