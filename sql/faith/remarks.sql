-- One row per release and remark on FAITH's figures: a sentence, and the query that lists its rows.
--
-- The filings without questions; the votes of each panel model; of a published file, how many answers differ from their sentence. The
-- panel vouches only for figures on which all of its votes can be read.
with voters as (

    select
        release,
        model,
        count(*) filter (where is_answerable) as n_yes,
        count(*) filter (where not is_answerable) as n_no,
        count(*) filter (where is_answerable is null) as n_unread
    from raw.votes
    where suite = 'faith'
    group by all

),

panel as (

    select
        release,
        0 as place,
        printf(
            '%s of the panel votes that the tables give %,d figures and do not give %,d; %,d votes could not be read%s.',
            model,
            n_yes,
            n_no,
            n_unread,
            if(n_yes + n_no = 0, ', so the panel vouches for no figure', '')
        ) as says,
        'from raw.votes' as query
    from voters

),

of_labels as (

    select
        release,
        1 as place,
        printf(
            '%,d published answers differ from their sentence: %,d state another figure, %,d have another sign.',
            count(*),
            count(*) filter (where differs_by = 'figure'),
            count(*) filter (where differs_by = 'sign')
        ) as says,
        'from faith.labels' as query
    from faith.labels
    where differs_by is not null
    group by release

),

remarks as (

    select * from macros.filings_without_questions('faith')
    union all
    select * from panel
    union all
    select * from of_labels

)

select * exclude (place) from remarks
order by release, place, says
