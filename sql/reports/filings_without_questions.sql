-- One row per release, suite and filing that no case asks about.
--
-- reason is why most often the filing or its contexts were rejected, null if neither was. Questions that were drafted
-- and rejected are in `rejects`.
with asked as (

    select distinct
        release,
        suite,
        filing_id
    from staging.pairs
    semi join raw.cases using (release, suite, qa_pair_id)
    semi join raw.filings using (release, filing_id)

),

counted as (

    select
        rejects.release,
        rejects.suite,
        coalesce(contexts.document_ids[1], rejects.parent_id) as document_id,
        rejects.reason,
        count(*) as n
    from raw.rejects as rejects
    left join raw.contexts as contexts
        on rejects.release = contexts.release
        and rejects.suite = contexts.suite
        and rejects.parent_id = contexts.context_id
    group by all

),

reasons as (

    select
        release,
        suite,
        document_id,
        arg_max(reason, (n, reason)) as reason
    from counted
    group by all

),

filings_without_questions as (

    select
        release,
        suites.suite,
        filings.company,
        filings.period_end,
        filings.filing_id,
        reasons.reason
    from raw.filings as filings
    inner join (select distinct release, suite from asked) as suites using (release)
    left join raw.documents using (release, filing_id)
    left join reasons using (release, suite, document_id)
    anti join asked using (release, suite, filing_id)

)

select * from filings_without_questions
order by release, suite, company, period_end, filing_id
