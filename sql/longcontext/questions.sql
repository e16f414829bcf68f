-- One row per sentiment of an article towards a company that a query asks about, as a question for people (`tenkbench audit questions`).
--
-- It stands for the pair about this article alone; of several, for the first.
with singles as (

    select
        cases.release,
        cases.suite,
        cases.qa_pair_id,
        cases.details ->> '$.article_id' as article_id,
        queries.task,
        queries.company
    from raw.cases as cases
    inner join raw.queries as queries
        on cases.release = queries.release
        and cases.suite = queries.suite
        and (cases.details ->> '$.query_id') = queries.query_id
    where cases.variant = 'single' and queries.sentiment is not null

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
        release,
        suite,
        min(singles.qa_pair_id) as qa_pair_id,
        singles.task,
        'What does the title mean for an investor in ' || company
        || '? Answer positive, neutral or negative.' as query,
        mentions.sentiment as answer,
        mentions.title as text
    from singles
    inner join mentions using (release, suite, article_id, company)
    where mentions.sentiment is not null
    group by release, suite, article_id, company, singles.task, mentions.sentiment, mentions.title

)

select * from questions
