-- One row per release and suite: how many filings, contexts, pairs and cases there are, and how long the contexts.
--
-- Contexts are those that pairs are asked on, not those that a variant makes of them. Tokens are theirs, once per pair as in paper 000 ("Dataset Statistics").
-- n_rejects includes the filings that ingest left out, for each suite. share_qa and share_tg are null where a suite has other tasks.
with rows_of as (

    select release, 'all' as suite, 'filings' as table_name from raw.filings
    union all
    select release, 'all', 'documents' from raw.documents
    union all
    select release, suite, 'cases' from raw.cases
    union all
    select release, suite, 'rejects' from raw.rejects

),

suites as (

    select
        release,
        suite,
        count(*) filter (where (suite, kind) not in (select (suite, variant) from staging.variants)) as n_contexts
    from raw.contexts
    group by all

),

counted as (

    select
        suites.release,
        suites.suite,
        nullif(count(*) filter (where table_name = 'filings'), 0) as n_filings,
        nullif(count(*) filter (where table_name = 'documents'), 0) as n_documents,
        any_value(suites.n_contexts) as n_contexts,
        count(*) filter (where table_name = 'cases') as n_cases,
        count(*) filter (where table_name = 'rejects') as n_rejects
    from suites
    left join rows_of
        on suites.release = rows_of.release
        and rows_of.suite in (suites.suite, 'all')
    group by all

),

pairs as (

    select
        qa_pairs.release,
        qa_pairs.suite,
        count(*) as n_pairs,
        avg((task = 'qa')::integer) filter (where task in ('qa', 'tg')) as share_qa,
        avg((task = 'tg')::integer) filter (where task in ('qa', 'tg')) as share_tg,
        min(n_tokens) as min_context_tokens,
        max(n_tokens) as max_context_tokens,
        avg(n_tokens) as mean_context_tokens,
        avg((n_tokens > 16000)::integer) as share_above_16k_tokens
    from raw.qa_pairs as qa_pairs
    inner join raw.contexts as contexts using (release, suite, context_id)
    group by all

)

select
    counted.release,
    counted.suite,
    counted.n_filings,
    counted.n_documents,
    counted.n_contexts,
    coalesce(pairs.n_pairs, 0) as n_pairs,
    counted.n_cases,
    counted.n_rejects,
    pairs.* exclude (release, suite, n_pairs)
from counted
left join pairs using (release, suite)
order by counted.release, counted.suite
