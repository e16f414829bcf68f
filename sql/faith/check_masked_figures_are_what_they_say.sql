-- One row per masked figure of our own filings whose truth is not its text, or whose mask type is missing or no vote's.
with letters as (

    select
        release,
        suite,
        span_id,
        coalesce(list(mask_type) filter (where is_reached), []) as letters
    from raw.votes
    group by all

)

select
    spans.release,
    spans.suite,
    spans.span_id,
    spans.masked_text,
    spans.truth,
    spans.mask_type
from raw.masked_spans as spans
left join letters using (release, suite, span_id)
where
    spans.uid is null
    and (
        spans.truth != spans.masked_text
        or (spans.mask_type is null and spans.qa_pair_id is not null)
        or not list_contains(letters.letters, spans.mask_type)
    )
