-- One row per document of a release with contexts of a suite that has neither context nor reject there, both, or two of one kind.
--
-- It is a check of suites whose contexts come from filings, each from one document or rejected. A document may be shown
-- in many contexts of several documents, but in one alone. A context that is made from another one for a variant has the
-- variant's name as its kind, and does not count.
create macro macros.lost_documents(of_suite) as table (

    with documents as (

        select release, document_id from raw.documents

    ),

    contexts as (

        select
            release,
            suite,
            context_id,
            unnest(document_ids) as document_id,
            len(document_ids) = 1 as is_alone
        from raw.contexts
        where suite = of_suite and kind not in (select variant from staging.variants where suite = of_suite)

    ),

    rejects as (

        select
            release,
            suite,
            reject_id,
            parent_id as document_id
        from raw.rejects
        where suite = of_suite and stage = 'contexts'

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
            count(distinct contexts.context_id) filter (where contexts.is_alone) as n_alone,
            count(distinct rejects.reject_id) as n_rejects
        from expected
        left join contexts using (release, suite, document_id)
        left join rejects using (release, suite, document_id)
        group by all
        having least(n_contexts, 1) + n_rejects != 1 or n_alone > 1

    )

    select * from counted

)
