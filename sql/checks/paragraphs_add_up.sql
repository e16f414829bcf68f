-- One row per document whose paragraphs do not add up to its tokens, overlap, or leave its text.
with documents as (

    select
        release,
        document_id,
        n_tokens,
        length(text) as n_chars,
        paragraphs
    from raw.documents

),

described as (

    select
        release,
        document_id,
        case
            when n_tokens is distinct from list_sum(list_transform(paragraphs, lambda p: p.n_tokens))
                then 'their tokens do not add up to the document''s'
            when
                paragraphs[1].start_char is distinct from 0
                or paragraphs[-1].end_char is distinct from n_chars
                then 'they do not cover the text'
            when
                list_bool_or(
                    list_transform(
                        paragraphs[2:],
                        lambda p, i: p.start_char < paragraphs[i].end_char + 2
                    )
                )
                then 'no blank line stands between two of them'
        end as what_is_wrong
    from documents

)

select * from described
where what_is_wrong is not null
