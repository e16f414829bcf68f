-- One row per masked figure that is not its sentence's text at its place, or whose sentence is not its document's.
with described as (

    select
        spans.release,
        spans.suite,
        spans.span_id,
        case
            when
                substring(spans.sentence, spans.start_char + 1, spans.end_char - spans.start_char)
                != spans.masked_text
                then 'the figure is not the text of the sentence at its place'
            when
                spans.sentence_start_char is not null
                and substring(documents.text, spans.sentence_start_char + 1, length(spans.sentence))
                != spans.sentence
                then 'the sentence is not the text of the document at its place'
        end as what_is_wrong
    from raw.masked_spans as spans
    inner join raw.documents as documents using (release, document_id)

)

select * from described
where what_is_wrong is not null
