-- One row per release and suite: how many filings, contexts, pairs and cases there are, and how long the contexts.
--
-- Contexts are those that pairs are asked on, not those that a variant makes of them. Tokens are theirs, once per pair as in paper 000 ("Dataset Statistics").
-- n_rejects includes the filings that ingest left out, for each suite. share_qa and share_tg are null where a suite has other tasks.
with filings as (

    select
        release,
        count(*) as n_filings
    from raw.filings
    group by all

),

documents as (

    select
        release,
        count(*) as n_documents
    from raw.documents
    group by all

),

contexts as (

    select
        context_id,
        release,
        suite,
        kind,
        n_tokens
    from raw.contexts

),

context_counts as (

    select
        release,
        suite,
        count(*) filter (where (suite, kind) not in (select (suite, variant) from staging.variants)) as n_contexts
    from contexts
    group by all

),

pairs as (

    select
        qa_pairs.release,
        qa_pairs.suite,
        qa_pairs.task,
        contexts.n_tokens
    from raw.qa_pairs as qa_pairs
    inner join contexts
        on qa_pairs.release = contexts.release
        and qa_pairs.suite = contexts.suite
        and qa_pairs.context_id = contexts.context_id

),

pair_statistics as (

    select
        release,
        suite,
        count(*) as n_pairs,
        avg((task = 'qa')::integer) filter (where task in ('qa', 'tg')) as share_qa,
        avg((task = 'tg')::integer) filter (where task in ('qa', 'tg')) as share_tg,
        min(n_tokens) as min_context_tokens,
        max(n_tokens) as max_context_tokens,
        avg(n_tokens) as mean_context_tokens,
        avg((n_tokens > 16000)::integer) as share_above_16k_tokens
    from pairs
    group by all

),

case_counts as (

    select
        release,
        suite,
        count(*) as n_cases
    from raw.cases
    group by all

),

reject_counts as (

    select
        release,
        suite,
        count(*) as n_rejects
    from raw.rejects
    group by all

),

dataset_statistics as (

    select
        context_counts.release,
        context_counts.suite,
        filings.n_filings,
        documents.n_documents,
        context_counts.n_contexts,
        coalesce(pair_statistics.n_pairs, 0) as n_pairs,
        coalesce(case_counts.n_cases, 0) as n_cases,
        coalesce(reject_counts.n_rejects, 0) + coalesce(unread.n_rejects, 0) as n_rejects,
        pair_statistics.share_qa,
        pair_statistics.share_tg,
        pair_statistics.min_context_tokens,
        pair_statistics.max_context_tokens,
        pair_statistics.mean_context_tokens,
        pair_statistics.share_above_16k_tokens
    from context_counts
    left join filings using (release)
    left join documents using (release)
    left join pair_statistics using (release, suite)
    left join case_counts using (release, suite)
    left join reject_counts using (release, suite)
    left join reject_counts as unread
        on context_counts.release = unread.release
        and unread.suite = 'all'

)

select * from dataset_statistics
order by release, suite
