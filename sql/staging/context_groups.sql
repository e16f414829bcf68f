-- One row per context that questions of its filing are asked on: the number of the group in which that filing is drawn anew.
with pairs as (

    select distinct
        release,
        suite,
        filing_id,
        group_number
    from staging.pairs

),

documents as (

    select
        release,
        document_id,
        filing_id
    from raw.documents

),

context_groups as (

    select
        contexts.release,
        contexts.suite,
        contexts.context_id,
        pairs.group_number
    from raw.contexts as contexts
    left join documents
        on contexts.release = documents.release
        and contexts.document_ids[1] = documents.document_id
    inner join pairs
        on contexts.release = pairs.release
        and contexts.suite = pairs.suite
        and coalesce(documents.filing_id, contexts.context_id) = pairs.filing_id

)

select * from context_groups
