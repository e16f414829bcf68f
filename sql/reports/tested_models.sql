-- One row per release, suite and model under test: how it was asked, its engine, and what its answers took.
--
-- What judging and building took is left out. An answer that two releases share counts in both, so that a release costs
-- the same whatever else the lake holds; `reports.spending` counts it once.
--
-- Sums are rounded, since DuckDB adds in any order: the same lake gives the same figures.
with requests as (

    select
        release,
        suite,
        request_id,
        case_id,
        model,
        operation
    from raw.requests
    where operation = 'answer' or starts_with(operation, 'answer_')

),

answered as (

    select
        release,
        suite,
        model,
        array_to_string(list_sort(list(distinct operation)), ', ') as asked_by,
        bool_and(engine = 'extractive') as is_baseline,
        count(distinct case_id) filter (where error_type is distinct from 'not_imported') as n_answers,
        count(distinct case_id) filter (where finish_reason = 'length') as n_cut_off,
        array_to_string(
            list_sort(list(distinct concat_ws(' ', engine, nullif(engine_version, '')))), ', '
        ) as engine
    from requests
    inner join raw.responses as responses using (release, suite, request_id)
    group by all

),

-- the cache may hand one answer to several requests: it counts once
answers as (

    select distinct
        release, suite, model, coalesce(key, request_id) as answer, attempts, n_output, latency_ms, first_token_ms, cost_usd
    from staging.calls
    where status is not null and (operation = 'answer' or starts_with(operation, 'answer_'))

),

-- a suite may have several operations that answer
calls as (

    select
        release,
        suite,
        model,
        avg(latency_ms) as mean_latency_ms,
        avg(first_token_ms) as mean_first_token_ms,
        macros.tokens_per_s(n_output, latency_ms, first_token_ms) as tokens_per_s,
        count(*) filter (where attempts > 0) as n_calls,
        sum(cost_usd) as cost_usd
    from answers
    group by all

),

tested_models as (

    select
        release,
        suite,
        model,
        answered.asked_by,
        answered.is_baseline,
        answered.engine,
        answered.n_answers,
        answered.n_cut_off,
        round(calls.mean_latency_ms, 3) as mean_latency_ms,
        round(calls.mean_first_token_ms, 3) as mean_first_token_ms,
        round(calls.tokens_per_s, 3) as tokens_per_s,
        coalesce(calls.n_calls, 0) as n_calls,
        round(calls.cost_usd, 9) as cost_usd
    from answered
    left join calls using (release, suite, model)

)

select * from tested_models
order by release, suite, model
