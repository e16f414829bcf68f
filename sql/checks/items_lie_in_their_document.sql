-- One row per span of an Item outside its document's text, or that overlaps another span of the same Item.
--
-- Spans of different Items may overlap, as in a filing whose index names the same page for both.
with documents as (

    select
        release,
        document_id,
        length(text) as n_chars,
        items
    from raw.documents

),

items as (

    select
        release,
        document_id,
        n_chars,
        unnest(items) as item
    from documents

),

spans as (

    select
        release,
        document_id,
        n_chars,
        item.item as item,
        item.start_char as start_char,
        item.end_char as end_char
    from items

),

outside as (

    select
        release,
        document_id,
        item,
        start_char,
        end_char,
        'outside the text' as what_is_wrong
    from spans
    where start_char < 0 or end_char > n_chars or start_char >= end_char

),

overlapping as (

    select
        release,
        document_id,
        item,
        spans.start_char,
        spans.end_char,
        'overlaps another span of it' as what_is_wrong
    from spans
    inner join spans as other using (release, document_id, item)
    where
        spans.start_char < other.end_char
        and other.start_char < spans.end_char
        and (spans.start_char, spans.end_char) < (other.start_char, other.end_char)

),

misplaced as (

    select * from outside
    union all
    select * from overlapping

)

select * from misplaced
