-- One row per report whose dollars are not those of the answers in the tables, each counted once.
--
-- An answer that several requests share was paid once, and one that the response cache keeps was paid whether or not a step is
-- finished: reports that count money are held here to the tables and to the response cache.
with answers as materialized (

    select distinct
        requests.key,
        responses.status,
        responses.attempts,
        responses.n_prompt,
        responses.n_cached,
        responses.n_output,
        responses.latency_ms,
        responses.cost_usd
    from raw.requests as requests
    inner join raw.responses as responses using (release, suite, request_id)
    where requests.key is not null

),

-- what the response cache lacks: its file may have been left behind when a lake was copied
unknown as (

    select * from answers
    except
    select
        key,
        status,
        attempts,
        n_prompt,
        n_cached,
        n_output,
        latency_ms,
        cost_usd
    from raw.journal

),

in_tables as (

    select coalesce(sum(cost_usd), 0) as dollars from answers

),

bought as (

    select
        coalesce((select sum(cost_usd) from unknown), 0) + coalesce((select sum(cost_usd) from raw.journal), 0) as dollars

),

-- materialized: asked twice below, and costly to plan
spending as materialized (

    select standing, cost_usd from reports.spending

),

reports as (

    select
        'reports.operations' as report,
        in_tables.dollars as expected,
        coalesce((select sum(cost_usd) from reports.operations), 0) as found
    from in_tables
    union all
    select
        'reports.spending, in the release',
        in_tables.dollars,
        coalesce((select sum(cost_usd) from spending where standing = 'in the release'), 0)
    from in_tables
    union all
    select
        'reports.spending',
        bought.dollars,
        coalesce((select sum(cost_usd) from spending), 0)
    from bought

)

select * from reports
where abs(found - expected) > 0.000001 * greatest(1, expected)
