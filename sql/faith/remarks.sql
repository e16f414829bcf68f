-- One row per release and remark on FAITH's figures: a sentence, and the query that lists its rows.
--
-- How many filings have questions, and why others have none; the votes of each panel model; of a published file, how many answers differ from their sentence.
with filings as (

    select
        release,
        count(*) as n_filings
    from raw.filings
    group by all

),

shown as (

    select
        release,
        suite,
        context_id,
        unnest(document_ids) as document_id
    from raw.contexts
    where suite = 'faith'

),

documents as (

    select
        shown.release,
        shown.document_id,
        count(pairs.qa_pair_id) as n_pairs
    from shown
    left join raw.qa_pairs as pairs using (release, suite, context_id)
    group by all

),

asked_of as (

    select
        release,
        1 as place,
        printf(
            'Questions come from %,d of %,d filings; all figures rest on these.',
            count(*) filter (where n_pairs > 0),
            any_value(filings.n_filings)
        ) as says,
        'select document_id, count(*) as n_questions from raw.masked_spans where qa_pair_id is not null group by all' as query
    from documents
    inner join filings using (release)
    group by release

),

without_tables as (

    select
        rejects.release,
        2 as place,
        printf('No questions come from %,d of %,d filings: %s.', count(*), any_value(filings.n_filings), rejects.reason) as says,
        'from raw.rejects where suite = ''faith'' and stage = ''contexts''' as query
    from raw.rejects as rejects
    inner join filings using (release)
    where rejects.suite = 'faith' and rejects.stage = 'contexts'
    group by rejects.release, rejects.reason

),

without_figures as (

    select
        release,
        3 as place,
        printf(
            'No questions come from %,d of %,d filings: Item 7 has tables, but no figure that can be asked for.',
            count(*),
            any_value(filings.n_filings)
        ) as says,
        'select document_ids, count(span_id) as n_figures from raw.contexts left join raw.masked_spans as spans '
        || 'using (release, suite, context_id) where suite = ''faith'' group by all having count(qa_pair_id) = 0' as query
    from documents
    inner join filings using (release)
    where n_pairs = 0
    group by release

),

-- the panel vouches only for figures on which all of its votes can be read
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
        4 as place,
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
        5 as place,
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

    select * from asked_of
    union all
    select * from without_tables
    union all
    select * from without_figures
    union all
    select * from panel
    union all
    select * from of_labels

)

select * exclude (place) from remarks
order by release, place, says
