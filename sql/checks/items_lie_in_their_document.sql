-- One row per span of an Item outside its document's text, or that overlaps a later span of the same Item.
--
-- Spans of different Items may overlap, as in a filing whose index names the same page for both.
with spans as (

    select
        release,
        document_id,
        length(text) as n_chars,
        unnest(items, recursive := true)
    from raw.documents

)

select
    spans.release,
    spans.document_id,
    spans.item,
    spans.start_char,
    spans.end_char
from spans
left join spans as later
    on spans.release = later.release
    and spans.document_id = later.document_id
    and spans.item = later.item
    and (spans.start_char, spans.end_char) < (later.start_char, later.end_char)
    and spans.end_char > later.start_char
where
    spans.start_char < 0
    or spans.end_char > spans.n_chars
    or spans.start_char >= spans.end_char
    or later.item is not null
