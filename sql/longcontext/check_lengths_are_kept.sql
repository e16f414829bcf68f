-- One row per case about a haystack whose prompt is over its budget or more than 5 % below it, or whose text is not that of its articles.
--
-- The text's length and the lines of needles and hard negatives are made again from the articles; a prompt that was sent
-- to a model has the tokens that were counted.
with lines as (

    select
        shown.release,
        shown.suite,
        shown.case_id,
        shown.number,
        shown.kind is not null as is_placed,
        'Article ID: ' || shown.number || ';'
        || if(not shown.shows_dates, '', ' Date: ' || coalesce(shown.shown_date, shown.published) || ';')
        || ' Title: ' || shown.title as line
    from longcontext.shown_articles as shown

),

texts as (

    select
        release,
        suite,
        case_id,
        sum(length(line) + 1) as n_chars,
        list({'number': number, 'line': hash(line)}) filter (where is_placed) as placed
    from lines
    group by release, suite, case_id

),

-- texts of 128K are too long to be carried through joins: hashes of their lines are, and their lengths
contexts as (

    select
        release,
        suite,
        context_id,
        encoding,
        length(text) as n_chars,
        if(kind = 'haystack', list_transform(string_split(text, chr(10)), lambda line: hash(line)), []) as lines
    from raw.contexts

),

sent as (

    select distinct
        release,
        suite,
        case_id,
        n_prompt_tokens
    from raw.requests
    where case_id is not null and operation like 'answer_%'

),

wrong as (

    select
        records.release,
        records.suite,
        records.case_id,
        records.length,
        records.budget,
        records.n_tokens,
        case
            when records.n_tokens > records.budget or records.budget >= records.length
                then 'the prompt is over its budget'
            when records.n_tokens < 0.95 * records.budget
                then 'the prompt is too short'
            when contexts.n_chars is distinct from texts.n_chars
                or len(list_filter(texts.placed, lambda each: contexts.lines[each.number] is distinct from each.line)) > 0
                then 'the text is not that of its articles'
            when contexts.encoding = 'cl100k_base' and abs(sent.n_prompt_tokens - records.n_tokens) > 2
                then 'the prompt that was sent has another length'
        end as fault
    from raw.records as records
    left join raw.cases as cases using (release, suite, case_id)
    left join contexts using (release, suite, context_id)
    left join texts using (release, suite, case_id)
    left join sent using (release, suite, case_id)
    where fault is not null

)

select * from wrong
