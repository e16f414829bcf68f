-- One row per masked sentence of our own filings whose neighbours differ from those in Item 7.
--
-- A neighbour adjoins the sentence; only blanks and tables (blocks with ` | ` or a line break) may lie between. At the
-- start or end of a span of the Item it is empty. An invented neighbour could give the figure away.
with items as (

    select
        release,
        document_id,
        unnest(list_filter(items, lambda each: each.item = '7')) as item
    from raw.documents

),

blocks as (

    select
        release,
        document_id,
        unnest(string_split(text, chr(10) || chr(10))) as block,
        generate_subscripts(string_split(text, chr(10) || chr(10)), 1) as place
    from raw.documents

),

placed as (

    select
        *,
        sum(length(block) + 2) over (partition by release, document_id order by place) - length(block) - 2 as start_char
    from blocks

),

clipped as (

    select
        placed.release,
        placed.document_id,
        item.start_char as span,
        place,
        greatest(start_char, item.start_char)::bigint as start_char,
        substring(
            block,
            greatest(item.start_char - start_char, 0)::bigint + 1,
            (item.end_char - greatest(start_char, item.start_char))::bigint
        ) as block
    from placed
    inner join items using (release, document_id)
    where start_char < item.end_char and start_char + length(block) > item.start_char

),

prose as (

    select
        *,
        lag(block, 1, '') over neighbours as previous,
        lead(block, 1, '') over neighbours as following
    from clipped
    where not contains(block, ' | ') and not contains(trim(block, chr(10)), chr(10))
    window neighbours as (partition by release, document_id, span order by place)

),

sentences as (

    select distinct
        release,
        suite,
        document_id,
        sentence_start_char as start_char,
        sentence,
        pre_sentence,
        post_sentence
    from raw.masked_spans
    where uid is null

),

surrounded as (

    select
        sentences.*,
        prose.block,
        left(prose.block, sentences.start_char - prose.start_char) as before,
        substring(prose.block, sentences.start_char - prose.start_char + length(sentence) + 1) as after,
        prose.previous,
        prose.following
    from sentences
    asof left join prose
        on sentences.release = prose.release
        and sentences.document_id = prose.document_id
        and sentences.start_char >= prose.start_char

),

described as (

    select
        release,
        suite,
        document_id,
        start_char,
        sentence,
        regexp_replace(if(regexp_full_match(before, '[\s\pZ]*'), previous, before), '[\s\pZ]+$', '') as text_before,
        regexp_replace(if(regexp_full_match(after, '[\s\pZ]*'), following, after), '^[\s\pZ]+', '') as text_after,
        case
            when block is null then 'no text of Item 7'
            when not ends_with(text_before, pre_sentence) or (pre_sentence = '') != (text_before = '')
                then 'another sentence is before it'
            when not starts_with(text_after, post_sentence) or (post_sentence = '') != (text_after = '')
                then 'another sentence is after it'
        end as what_is_wrong
    from surrounded

)

select * exclude (text_before, text_after) from described
where what_is_wrong is not null
