-- One row per model, operation and standing: the calls that were sent, and what they took.
--
-- standing says what has become of the answers:
--   in the release  they stand in rows of the tables, each counted once however many requests it answers
--   kept            the lake's response cache keeps them, for a step that is not finished, or for another release
--   superseded      another answer has taken their place (--fresh, --retry-failed), or they are failures that were
--                   charged for and are asked again
-- Together they are all that models have answered for this lake, in whatever release, and all dollars that are known to
-- have been charged for it. No rows if only rules answered. Tokens are those that servers report;
-- cost_usd is null where nothing is paid per token.
with in_release as (

    select
        model,
        operation,
        key,
        answer_hash,
        'in the release' as standing,
        n_prompt,
        n_cached,
        n_output,
        cost_usd
    from staging.distinct_answers
    where key is not null and attempts > 0

),

journal as (

    select
        *,
        macros.answer_hash(status, attempts, n_prompt, n_cached, n_output, latency_ms, cost_usd) as answer_hash
    from raw.journal
    where attempts > 0

),

numbered as (

    select
        *,
        -- a batch's answers have no latency: two of one key can be alike, and only one of them is in the release
        row_number() over (partition by key, answer_hash order by superseded_at nulls first) as place
    from journal

),

outside as (

    select
        numbered.model,
        numbered.operation,
        numbered.key,
        numbered.answer_hash,
        case when numbered.superseded_at is null then 'kept' else 'superseded' end as standing,
        numbered.n_prompt,
        numbered.n_cached,
        numbered.n_output,
        numbered.cost_usd
    from numbered
    left join in_release
        on numbered.key = in_release.key
        and numbered.answer_hash = in_release.answer_hash
        and numbered.place = 1
    where in_release.key is null

),

calls as (

    select * from in_release
    union all
    select * from outside

),

spending as (

    select
        model,
        operation,
        standing,
        count(*) as n_calls,
        sum(n_prompt)::bigint as n_prompt_tokens,
        sum(n_cached)::bigint as n_cached_tokens,
        sum(n_output)::bigint as n_output_tokens,
        sum(n_cached) / sum(n_prompt) filter (where n_cached is not null) as cached_share,
        round(sum(cost_usd), 9) as cost_usd
    from calls
    group by all

)

select * from spending
order by model, operation, standing
