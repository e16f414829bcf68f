-- One row per release, suite, operation and model: what was asked, what came back, and what it took.
--
-- The operation `prime` is the calls that warmed a prefix up for its group. Tokens and dollars are those of the
-- answers, however often one was used; reports.spending counts what was paid.
with calls as (

    select * from staging.calls

),

operations as (

    select
        release,
        suite,
        operation,
        model,
        count(*) as n_requests,
        count(*) filter (where status = 'ok') as n_ok,
        count(*) filter (where status = 'error') as n_error,
        count(*) filter (where status = 'quarantined') as n_quarantined,
        count(*) filter (where finish_reason = 'length' and operation != 'prime') as n_cut_off,
        count(repairs) as n_repairs,
        sum(coalesce(n_prompt, n_prompt_tokens)) as n_prompt_tokens,
        sum(n_cached) as n_cached_tokens,
        sum(n_output) as n_output_tokens,
        avg(latency_ms) as mean_latency_ms,
        sum(cost_usd) as cost_usd
    from calls
    group by all

)

select * from operations
order by release, suite, operation, model
