-- One row per answer, or failure, of the tables' requests, at the first of the requests that it stands for.
--
-- The response cache buys an answer once and hands it to every request of its key: equal prompts, in whatever step, suite or
-- release. The first is the first by release, suite, operation, model and request. Rules' answers have no key: each is
-- its own. A key has several where --fresh bought another between two steps, or where one step has its failure.
with answers as (

    select
        release,
        suite,
        operation,
        model,
        request_id,
        key,
        attempts,
        n_prompt,
        n_cached,
        n_output,
        latency_ms,
        first_token_ms,
        cost_usd,
        macros.answer_hash(status, attempts, n_prompt, n_cached, n_output, latency_ms, cost_usd) as answer_hash
    from staging.calls
    where status is not null

),

numbered as (

    select
        *,
        row_number() over (
            partition by key, answer_hash
            order by release, suite, operation, model, request_id
        ) as place
    from answers

),

distinct_answers as (

    select * exclude (place) from numbered
    where place = 1 or key is null

)

select * from distinct_answers
