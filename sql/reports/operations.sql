-- One row per release, suite, operation and model: what was asked, what came back, and what it took.
with requests as (

    select
        request_id,
        release,
        suite,
        operation,
        model,
        n_prompt_tokens
    from raw.requests

),

responses as (

    select
        request_id,
        release,
        suite,
        status,
        finish_reason,
        n_prompt,
        n_cached,
        n_output,
        latency_ms,
        cost_usd
    from raw.responses

),

operations as (

    select
        requests.release,
        requests.suite,
        requests.operation,
        requests.model,
        count(*) as n_requests,
        count(*) filter (where responses.status = 'ok') as n_ok,
        count(*) filter (where responses.status = 'error') as n_error,
        count(*) filter (where responses.status = 'quarantined') as n_quarantined,
        count(*) filter (where responses.finish_reason = 'length') as n_cut_off,
        sum(coalesce(responses.n_prompt, requests.n_prompt_tokens)) as n_prompt_tokens,
        sum(responses.n_cached) as n_cached_tokens,
        sum(responses.n_output) as n_output_tokens,
        avg(responses.latency_ms) as mean_latency_ms,
        sum(responses.cost_usd) as cost_usd
    from requests
    left join responses using (release, suite, request_id)
    group by all

)

select * from operations
order by release, suite, operation, model
