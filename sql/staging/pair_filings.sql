-- One row per pair: the filing that it was written from. Filings are what a benchmark is drawn from.
--
-- A published dataset names no filings: there each context stands for its own.
with qa_pairs as (

    select
        qa_pair_id,
        context_id,
        release,
        suite
    from raw.qa_pairs

),

contexts as (

    select
        context_id,
        document_id,
        release,
        suite
    from raw.contexts

),

documents as (

    select
        document_id,
        filing_id,
        release
    from raw.documents

),

pair_filings as (

    select
        qa_pairs.qa_pair_id,
        qa_pairs.release,
        qa_pairs.suite,
        coalesce(documents.filing_id, qa_pairs.context_id) as filing_id
    from qa_pairs
    left join contexts using (release, suite, context_id)
    left join documents
        on contexts.release = documents.release
        and contexts.document_id = documents.document_id

)

select * from pair_filings
