-- One row per article of a haystack that fits its query and is no needle, or is a needle and does not fit, or is not where it is said to be.
--
-- An article whose date is shown in another format fits, but a model cannot know.
with records as (

    select
        release,
        suite,
        case_id,
        list_transform(articles, lambda article_id: hash(article_id)) as articles
    from raw.records

),

wrong as (

    select
        release,
        suite,
        case_id,
        article_id,
        number,
        if(fits, 'it fits and is no needle', 'it is a needle and does not fit') as fault
    from longcontext.shown_articles as shown
    where fits != (coalesce(kind, '') = 'needle')
        and coalesce(reason, '') != 'other format'

    union all

    select
        placed.release,
        placed.suite,
        placed.case_id,
        placed.article_id,
        placed.number,
        'the text has another article there' as fault
    from raw.placed_articles as placed
    inner join records using (release, suite, case_id)
    where records.articles[placed.number] is distinct from hash(placed.article_id)

    union all

    select
        release,
        suite,
        case_id,
        null as article_id,
        null as number,
        'the text has an article twice' as fault
    from records
    where list_unique(articles) < len(articles)

)

select * from wrong
