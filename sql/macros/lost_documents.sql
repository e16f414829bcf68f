-- One row per document of a release with contexts of a suite that has neither context nor reject there, both, or two of one kind.
--
-- It is a check of suites whose contexts come from filings, each from one document or rejected. A document may be shown
-- in many contexts of several documents, but in one alone. A context that is made from another one for a variant has the
-- variant's name as its kind, and does not count.
create macro macros.lost_documents(of_suite) as table (

    with contexts as (

        select
            release,
            unnest(document_ids) as document_id,
            len(document_ids) = 1 as is_alone
        from raw.contexts
        where suite = of_suite and kind not in (select variant from staging.variants where suite = of_suite)

    ),

    counted as (

        select
            release,
            document_id,
            count(*) as n_contexts,
            count(*) filter (where is_alone) as n_alone
        from contexts
        group by all

    ),

    rejects as (

        select
            release,
            parent_id as document_id,
            count(*) as n_rejects
        from raw.rejects
        where suite = of_suite and stage = 'contexts'
        group by all

    )

    select
        release,
        document_id,
        coalesce(n_contexts, 0) as n_contexts,
        coalesce(n_alone, 0) as n_alone,
        coalesce(rejects.n_rejects, 0) as n_rejects
    from raw.documents as documents
    left join counted using (release, document_id)
    left join rejects using (release, document_id)
    where
        release in (select release from contexts)
        and (least(coalesce(n_contexts, 0), 1) + coalesce(rejects.n_rejects, 0) != 1 or coalesce(n_alone, 0) > 1)

)
