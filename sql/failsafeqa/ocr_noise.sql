-- One row per release and suite: how much the scanner's errors changed the contexts.
--
-- Edits are known only of scans made here, not of a published dataset's.
with scanned_for as (

    select distinct
        scanned.release,
        scanned.suite,
        scanned.context_id,
        baselines.context_id as clean_context_id
    from raw.cases as scanned
    inner join raw.cases as baselines using (release, suite, qa_pair_id)
    where
        scanned.variant = 'ocr'
        and baselines.variant = 'baseline'

),

scans as (

    select
        contexts.release,
        contexts.suite,
        contexts.context_id,
        (contexts.details ->> '$.n_chars')::bigint as n_chars,
        (contexts.details ->> '$.deletions')::bigint as n_deletions,
        (contexts.details ->> '$.replacements')::bigint as n_replacements,
        (contexts.details ->> '$.insertions')::bigint as n_insertions,
        n_deletions + n_replacements + n_insertions as n_edits,
        contexts.n_tokens / nullif(clean.n_tokens, 0) as token_growth
    from raw.contexts as contexts
    inner join scanned_for using (release, suite, context_id)
    inner join raw.contexts as clean
        on scanned_for.release = clean.release
        and scanned_for.suite = clean.suite
        and scanned_for.clean_context_id = clean.context_id
    where contexts.kind = 'ocr'

),

ocr_noise as (

    select
        release,
        suite,
        count(distinct context_id) as n_contexts,
        sum(n_chars)::bigint as n_chars,
        sum(n_deletions)::bigint as n_deletions,
        sum(n_replacements)::bigint as n_replacements,
        sum(n_insertions)::bigint as n_insertions,
        sum(n_edits) / nullif(sum(n_chars), 0) as error_rate,
        min(n_edits / nullif(n_chars, 0)) as min_error_rate,
        max(n_edits / nullif(n_chars, 0)) as max_error_rate,
        avg(token_growth) as mean_token_growth
    from scans
    group by all

)

select * from ocr_noise
order by release, suite
