-- One row per release and thing that a reader of FAITH's figures has to know besides: a sentence, and the query of its rows.
--
-- Filings that nothing can be asked of, by the reason why not; and published answers that their own sentence contradicts.
with filings as (

    select
        release,
        count(*) as n_filings
    from raw.filings
    group by all

),

without_tables as (

    select
        rejects.release,
        printf('%d of %d filings have nothing to ask: %s.', count(*), any_value(filings.n_filings), rejects.reason) as says,
        'from raw.rejects where suite = ''faith'' and stage = ''contexts''' as query
    from raw.rejects as rejects
    inner join filings using (release)
    where rejects.suite = 'faith' and rejects.stage = 'contexts'
    group by rejects.release, rejects.reason

),

published as (

    select
        release,
        count(*) as n_published
    from raw.masked_spans
    where uid is not null and qa_pair_id is not null
    group by all

),

contradicted as (

    select
        labels.release,
        printf(
            '%d of %d published answers are contradicted by their own sentence.',
            count(*),
            any_value(published.n_published)
        ) as says,
        'from reports.faith_labels' as query
    from reports.faith_labels as labels
    inner join published using (release)
    where labels.strict != 'correct' or labels.official != 'correct'
    group by labels.release

),

-- a voter that cannot be read keeps the whole panel from vouching for anything
voters as (

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
        printf(
            '%s of the panel says of %d figures that the tables give them, and of %d that they do not; %d votes could not be read%s.',
            model,
            n_yes,
            n_no,
            n_unread,
            if(n_yes + n_no = 0, ', so that the panel vouches for no figure', '')
        ) as says,
        'from raw.votes' as query
    from voters

),

faith_remarks as (

    select * from without_tables
    union all
    select * from panel
    union all
    select * from contradicted

)

select * from faith_remarks
order by release, query, says
