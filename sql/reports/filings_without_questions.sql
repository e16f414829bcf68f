-- One row per release, suite and filing that no question is asked of: how many of its drafts were rejected, and why most of them.
with contexts as (

    select
        release,
        suite,
        context_id,
        unnest(document_ids) as document_id
    from raw.contexts

),

asked as (

    select distinct
        release,
        suite,
        document_id
    from contexts
    semi join raw.qa_pairs using (release, suite, context_id)

),

-- what is rejected of a filing is the filing, or what a model or a rule made of its contexts
rejected as (

    select
        rejects.release,
        rejects.suite,
        coalesce(contexts.document_id, rejects.parent_id) as document_id,
        count(*) as n_rejects,
        mode(rejects.reason) as reason
    from raw.rejects as rejects
    left join contexts
        on rejects.release = contexts.release
        and rejects.suite = contexts.suite
        and rejects.parent_id = contexts.context_id
    group by all

)

select
    release,
    suites.suite,
    filings.company,
    filings.period_end,
    filings.filing_id,
    coalesce(n_rejects, 0) as n_rejects,
    coalesce(reason, 'nothing in it can be asked for') as reason
from raw.filings as filings
inner join (select distinct release, suite from asked) as suites using (release)
left join raw.documents as documents using (release, filing_id)
left join rejected using (release, suite, document_id)
anti join asked using (release, suite, document_id)
order by release, suite, company, period_end, filing_id
