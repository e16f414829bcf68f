-- One row per citation whose quote is not the document's text at its offsets; of several documents the first counts.
with citations as (

    select
        qa_pairs.release,
        qa_pairs.suite,
        qa_pairs.qa_pair_id,
        contexts.document_ids[1] as document_id,
        unnest(qa_pairs.citations, recursive := true)
    from raw.qa_pairs as qa_pairs
    inner join raw.contexts as contexts using (release, suite, context_id)

)

select
    citations.release,
    citations.suite,
    citations.qa_pair_id,
    citations.start_char,
    citations.end_char,
    citations.quote
from citations
inner join raw.documents as documents using (release, document_id)
where
    citations.start_char < 0
    or length(citations.quote) != citations.end_char - citations.start_char
    or substring(documents.text, citations.start_char + 1, length(citations.quote)) != citations.quote
