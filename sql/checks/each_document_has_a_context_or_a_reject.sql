-- One row per document and suite with contexts where the document has not exactly one context or one reject.
--
-- A scanned context is made from another one and does not count.
with documents as (

    select release, document_id from raw.documents

),

contexts as (

    select
        release,
        suite,
        context_id,
        document_id
    from raw.contexts
    where kind != 'ocr'

),

rejects as (

    select
        release,
        suite,
        reject_id,
        parent_id as document_id
    from raw.rejects
    where stage = 'contexts'

),

suites as (

    select distinct release, suite from contexts

),

expected as (

    select
        documents.release,
        suites.suite,
        documents.document_id
    from documents
    inner join suites using (release)

),

counted as (

    select
        release,
        suite,
        document_id,
        count(distinct contexts.context_id) as n_contexts,
        count(distinct rejects.reject_id) as n_rejects
    from expected
    left join contexts using (release, suite, document_id)
    left join rejects using (release, suite, document_id)
    group by all
    having n_contexts + n_rejects != 1

)

select * from counted
