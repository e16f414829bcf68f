-- One row per row of a release that another release may have too, by its id: a hash of what it says, and words for it.
--
-- `kind` is a case's variant, a context's kind, a reject's stage. What belongs to no suite is of suite 'all'.
with filings as (

    select
        release,
        'all' as suite,
        'filings' as table_name,
        form as kind,
        filing_id as row_id,
        sha256 as content,
        concat_ws(', ', company, form, period_end::varchar) as said
    from raw.filings

),

documents as (

    select
        release,
        'all' as suite,
        'documents' as table_name,
        '' as kind,
        document_id as row_id,
        md5(text) as content,
        concat('text of filing ', filing_id) as said
    from raw.documents

),

contexts as (

    select
        release,
        suite,
        'contexts' as table_name,
        kind,
        context_id as row_id,
        md5(text) as content,
        concat(kind, ' context of ', array_to_string(document_ids, ', '), ', ', n_tokens, ' tokens') as said
    from raw.contexts

),

qa_pairs as (

    select
        release,
        suite,
        'qa_pairs' as table_name,
        task as kind,
        qa_pair_id as row_id,
        md5(concat_ws(chr(31), query, answer, citation_text)) as content,
        query as said
    from raw.qa_pairs

),

cases as (

    select
        release,
        suite,
        'cases' as table_name,
        variant as kind,
        case_id as row_id,
        md5(concat_ws(chr(31), query, coalesce(context_id, ''), target)) as content,
        query as said
    from raw.cases

),

rejects as (

    select
        release,
        suite,
        'rejects' as table_name,
        stage as kind,
        reject_id as row_id,
        md5(reason) as content,
        concat(parent_id, ': ', reason) as said
    from raw.rejects

)

select * from filings
union all
select * from documents
union all
select * from contexts
union all
select * from qa_pairs
union all
select * from cases
union all
select * from rejects
