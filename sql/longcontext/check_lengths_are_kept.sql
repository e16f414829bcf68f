-- One row per case about a haystack whose prompt is over its budget or more than 0.5 % below it, or whose text is not that of its articles.
--
-- Of prompts that ask about one text, the longest must not be below. The text's length and the lines of needles and hard negatives are made again from the articles; a prompt that was
-- sent to a model has the tokens that were counted.
with lines as (

    select
        shown.release,
        shown.suite,
        shown.case_id,
        shown.kind,
        'Article ID: ' || shown.number || ';'
        || if(not shown.shows_dates, '', ' Date: ' || coalesce(shown.shown_date, shown.published) || ';')
        || ' Title: ' || trim(regexp_replace(shown.title, '\s+', ' ', 'g')) || chr(10) as line
    from longcontext.shown_articles as shown

),

texts as (

    select
        release,
        suite,
        case_id,
        sum(length(line)) as n_chars,
        coalesce(list(line) filter (where kind is not null), []) as placed
    from lines
    group by all

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
            when max(records.n_tokens) over (partition by cases.release, cases.suite, cases.context_id, cases.variant)
                < 0.995 * records.budget - 1
                then 'the prompt is too short'
            when length(contexts.text) is distinct from texts.n_chars
                or len(list_filter(texts.placed, lambda line: not contains(contexts.text, line))) > 0
                then 'the text is not that of its articles'
            when contexts.encoding = 'cl100k_base' and abs(sent.n_prompt_tokens - records.n_tokens) > 2
                then 'the prompt that was sent has another length'
        end as fault
    from raw.records as records
    left join raw.cases as cases using (release, suite, case_id)
    left join raw.contexts as contexts using (release, suite, context_id)
    left join texts using (release, suite, case_id)
    left join sent using (release, suite, case_id)
    qualify fault is not null

)

select * from wrong
