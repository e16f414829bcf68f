-- One row per pair: its filing, and the number of the group in which that is drawn anew, from 0.
--
-- Filings are what a benchmark is drawn from; a published dataset names none, and there each context stands for its
-- own. Groups are made by a hash of the filing, so that they say nothing about its content.
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

),

pair_groups as (

    select
        qa_pair_id,
        release,
        suite,
        filing_id,
        (
            dense_rank() over (partition by release, suite order by md5(filing_id), filing_id) - 1
        ) % macros.bootstrap_groups() as group_number
    from pair_filings

)

select * from pair_groups
