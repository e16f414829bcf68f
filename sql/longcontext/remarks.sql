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
        release,
        2 as place,
        'Company and sentiment is not asked: '
        || if(n_labelled = 0, 'no article has', 'too few articles have')
        || ' a labelled sentiment.' as says,
        'from raw.articles' as query
    from articles
    semi join raw.queries using (release)
    anti join (select release from raw.queries where sentiment is not null) using (release)

    union all

    select
        release,
        3 as place,
        printf(
            'In %,d of %,d texts, hard negatives have less than 10 %% of the tokens: there are too few.',
            count(*) filter (where is_short_of_negatives),
            count(*)
        ) as says,
        'from raw.records where is_short_of_negatives' as query
    from raw.records
    group by release
    having bool_or(is_short_of_negatives)

    union all

    select
        release,
        4 as place,
        printf(
            '%s labelled the sentiments and is tested on them: Company and sentiment shows whether it agrees with itself.',
            string_agg(distinct model, ' and ' order by model)
        ) as says,
        'from longcontext.ratings' as query
    from raw.sentiment_votes
    semi join raw.judgements using (release, suite, model)
    semi join (
        select release from raw.news where list_bool_or(list_transform(mentions, lambda mention: mention.sentiment is null))
    ) using (release)
    group by release

)

select * from said
order by release, place
