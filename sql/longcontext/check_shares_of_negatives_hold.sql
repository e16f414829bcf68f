-- One row per haystack of whose tokens its hard negatives are less than 10 % or more than 20 %, or not the share that their characters have.
--
-- Records on one text share its hard negatives. A source that has too few is said to be short.
with contexts as (

    select
        release,
        suite,
        context_id,
        n_tokens as text_tokens,
        length(text) as text_chars
    from raw.contexts

),

records as (

    select
        records.* exclude (articles),
        cases.context_id,
        cases.variant,
        contexts.text_tokens,
        contexts.text_chars
    from raw.records as records
    inner join raw.cases as cases using (release, suite, case_id)
    inner join contexts using (release, suite, context_id)

),

-- one of several queries' hard negatives counts once
negatives as (

    select distinct
        release,
        suite,
        context_id,
        number,
        title,
        shows_dates
    from longcontext.shown_articles
    where kind != 'needle'

),

characters as (

    select
        release,
        suite,
        context_id,
        sum(length(title) + if(shows_dates, 18, 0) + length(number::varchar) + 22) as negative_chars
    from negatives
    group by all

),

texts as (

    select
        records.release,
        records.suite,
        records.context_id,
        records.variant,
        any_value(records.case_id) as case_id,
        max(records.negative_tokens) / any_value(records.text_tokens) as share,
        any_value(coalesce(characters.negative_chars, 0)) / any_value(records.text_chars) as share_of_characters,
        bool_or(records.is_short_of_negatives) as is_short
    from records
    left join characters using (release, suite, context_id)
    group by all

),

wrong as (

    select * from texts
    where share > 0.2
        or (share < 0.1 and not is_short)
        -- longer words have more characters a token
        or abs(share - share_of_characters) > 0.02 + 0.2 * share

)

select * from wrong
