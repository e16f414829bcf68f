-- One row per request with a cache key that rules answered, and per request without one that a model answered.
with calls as (

    select
        release,
        suite,
        request_id,
        model,
        engine,
        key
    from staging.calls

)

select * from calls
where (engine = 'extractive') = (key is not null)
