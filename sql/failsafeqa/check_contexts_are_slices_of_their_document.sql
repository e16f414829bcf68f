-- One row per truncated context that is not a slice of its document's text, or longer than its limit.
--
-- A context from an Item of several spans is several slices (`parts` in its details), joined by empty lines.
with contexts as (

    select
        release,
        suite,
        context_id,
        document_ids[1] as document_id,
        start_char,
        text,
        n_tokens,
        coalesce(
            (details::json -> 'parts')::bigint[][],
            [[start_char, start_char + length(text)]]
        ) as parts,
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
            when
                list_aggregate(
                    list_transform(
                        contexts.parts,
                        lambda part: substring(documents.text, part[1] + 1, part[2] - part[1])
                    ),
                    'string_agg',
                    chr(10) || chr(10)
                ) != contexts.text
                then 'not the text of the document at its offset'
            when contexts.limit_tokens is null
                then 'its limit is not recorded'
            when contexts.n_tokens > contexts.limit_tokens
                then 'more tokens than its limit'
        end as what_is_wrong
    from contexts
    inner join raw.documents as documents using (release, document_id)

)

select * from described
where what_is_wrong is not null
