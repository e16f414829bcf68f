-- One row per haystack of whose tokens its hard negatives are less than 10 % or more than 20 %, or not the share that their characters have.
--
-- A source that has too few is said to be short.
with contexts as (

    select
        release,
        suite,
        context_id,
        n_tokens,
        length(text) as n_chars
    from raw.contexts

),

negatives as (

    select
        release,
        suite,
        case_id,
        sum(length(title) + if(shows_dates, 18, 0) + length(number::varchar) + 22) as n_chars
    from longcontext.shown_articles
    where kind != 'needle'
    group by all

),

shares as (

    select
        records.release,
        records.suite,
        records.case_id,
        records.is_short_of_negatives,
        records.negative_tokens / contexts.n_tokens as share,
        coalesce(negatives.n_chars, 0) / contexts.n_chars as share_of_characters
    from raw.records as records
    inner join raw.cases as cases using (release, suite, case_id)
    inner join contexts using (release, suite, context_id)
    left join negatives using (release, suite, case_id)

),

wrong as (

    select * from shares
    where share > 0.2
        or (share < 0.1 and not is_short_of_negatives)
        -- longer words have more characters a token
        or abs(share - share_of_characters) > 0.02 + 0.2 * share

)

select * from wrong
