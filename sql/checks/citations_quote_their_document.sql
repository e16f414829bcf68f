-- One row per citation whose quote is not the document's text at its offsets; of several documents the first counts.
with contexts as (

    select release, suite, context_id, document_ids[1] as document_id from raw.contexts

),

citations as (

    select
        release,
        suite,
        qa_pair_id,
        context_id,
        unnest(citations) as citation
    from raw.qa_pairs

),

misquoted as (

    select
        citations.release,
        citations.suite,
        citations.qa_pair_id,
        citations.citation.start_char as start_char,
        citations.citation.end_char as end_char,
        citations.citation.quote as quote
    from citations
    inner join contexts using (release, suite, context_id)
    inner join raw.documents as documents using (release, document_id)
    where
        substring(
            documents.text,
            citations.citation.start_char + 1,
            citations.citation.end_char - citations.citation.start_char
        ) != citations.citation.quote
        or citations.citation.start_char < 0
        or length(citations.citation.quote) != citations.citation.end_char - citations.citation.start_char

)

select * from misquoted
