-- One row per release, suite, operation and model: the calls that were paid for, and what they took.
--
-- An answer is bought once and kept by its key. Where several requests use it, it counts as paid in the first of
-- them (by release, suite, operation, model), so that rows add up to what the answers have cost together. Rules are
-- no calls to a model and do not appear; cost_usd is null where nothing is paid per token.
with calls as (

    select * from staging.calls
    where key is not null

),

numbered as (

    select
        *,
        row_number() over (
            partition by key
            order by status = 'ok' desc, cost_usd is null, release, suite, operation, model, request_id
        ) as place
    from calls

),

counted as (

    select
        release,
        suite,
        operation,
        model,
        place = 1 as is_paid,
        coalesce(n_prompt, n_prompt_tokens) as n_prompt,
        n_cached,
        n_output,
        cost_usd
    from numbered

),

spending as (

    select
        release,
        suite,
        operation,
        model,
        count(*) as n_calls,
        count(*) filter (where is_paid) as n_paid,
        coalesce(sum(n_prompt) filter (where is_paid), 0) as n_prompt_tokens,
        sum(n_cached) filter (where is_paid) as n_cached_tokens,
        coalesce(sum(n_output) filter (where is_paid), 0) as n_output_tokens,
        sum(n_cached) filter (where is_paid)
        / sum(n_prompt) filter (where is_paid and n_cached is not null) as cached_share,
        sum(cost_usd) filter (where is_paid) as cost_usd
    from counted
    group by all

)

select * from spending
order by release, suite, operation, model
