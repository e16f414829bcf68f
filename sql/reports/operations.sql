-- One row per release, suite, operation and model: what was asked, what came back, and what it took.
--
-- The operation `prime` is the calls that warmed a prefix up for its group. A request is a row of the tables; n_calls,
-- tokens, latency and dollars count an answer once, in the first of the requests that it stands for, so that they add up
-- to what reports.spending says is in the release. Calls are those that were sent: a prompt that does not fit its model
-- is a failure, and no call. Tokens are those that servers report.
with requests as (

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
        count(repairs) as n_repairs
    from staging.calls
    group by all

),

answers as (

    select
        release,
        suite,
        operation,
        model,
        count(*) filter (where attempts > 0) as n_calls,
        sum(n_prompt)::bigint as n_prompt_tokens,
        sum(n_cached)::bigint as n_cached_tokens,
        sum(n_output)::bigint as n_output_tokens,
        avg(latency_ms) as mean_latency_ms,
        avg(first_token_ms) as mean_first_token_ms,
        macros.tokens_per_s(n_output, latency_ms, first_token_ms) as tokens_per_s,
        round(sum(cost_usd), 9) as cost_usd
    from staging.distinct_answers
    group by all

),

operations as (

    select
        requests.*,
        coalesce(answers.n_calls, 0) as n_calls,
        answers.n_prompt_tokens,
        answers.n_cached_tokens,
        answers.n_output_tokens,
        answers.mean_latency_ms,
        answers.mean_first_token_ms,
        answers.tokens_per_s,
        answers.cost_usd
    from requests
    left join answers using (release, suite, operation, model)

)

select * from operations
order by release, suite, operation, model
