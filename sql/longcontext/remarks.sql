-- One row per release and remark on the long-context suite's articles and texts: a sentence, and the query that lists its rows.
with articles as (

    select
        release,
        count(*) as n,
        count(*) filter (where source = 'invented') as n_invented,
        count(*) filter (where is_date_drawn and source != 'invented') as n_drawn,
        count(*) filter (where len(list_filter(mentions, lambda mention: mention.sentiment is not null)) > 0) as n_labelled
    from raw.articles
    where suite = 'longcontext'
    group by release

),

queries as (

    select
        release,
        list(distinct task) as tasks
    from raw.queries
    where suite = 'longcontext'
    group by release

),

records as (

    select
        release,
        count(*) as n,
        count(*) filter (where is_short_of_negatives) as n_short
    from raw.records
    where suite = 'longcontext'
    group by release

),

said as (

    select
        release,
        0 as place,
        printf(
            '%s articles are invented headlines about invented companies. Scores on them say nothing about real news.',
            if(n = n_invented, printf('All %,d', n), printf('%,d of %,d', n_invented, n))
        ) as says,
        'from raw.articles' as query
    from articles
    where n_invented > 0

    union all

    select
        release,
        1 as place,
        printf('The source has no dates for %,d of %,d articles: those were drawn.', n_drawn, n) as says,
        'from raw.articles where is_date_drawn' as query
    from articles
    where n_drawn > 0

    union all

    select
        queries.release,
        2 as place,
        'Company and sentiment is not asked: '
        || if(articles.n_labelled = 0, 'no article has', 'too few articles have')
        || ' a labelled sentiment.' as says,
        'from raw.articles' as query
    from queries
    inner join articles using (release)
    where not list_contains(queries.tasks, 'company_sentiment')

    union all

    select
        release,
        3 as place,
        printf(
            'In %,d of %,d texts, hard negatives have less than 10 %% of the tokens: there are too few.', n_short, n
        ) as says,
        'from raw.records where is_short_of_negatives' as query
    from records
    where n_short > 0

)

select * from said
order by release, place
