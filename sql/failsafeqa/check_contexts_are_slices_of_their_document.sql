-- One row per truncated context that is not a slice of its document's text, or longer than its limit.
with documents as (

    select release, document_id, text from raw.documents

),

contexts as (

    select
        release,
        suite,
        context_id,
        document_ids[1] as document_id,
        start_char,
        text,
        n_tokens,
        (details::json ->> 'limit')::bigint as limit_tokens
    from raw.contexts
    where kind = 'truncated'

),

described as (

    select
        contexts.release,
        contexts.suite,
        contexts.context_id,
        case
            when substring(documents.text, contexts.start_char + 1, length(contexts.text)) != contexts.text
                then 'not the text of the document at its offset'
            when contexts.limit_tokens is null
                then 'its limit is not recorded'
            when contexts.n_tokens > contexts.limit_tokens
                then 'more tokens than its limit'
        end as what_is_wrong
    from contexts
    inner join documents using (release, document_id)

),

misfits as (

    select * from described
    where what_is_wrong is not null

)

select * from misfits
