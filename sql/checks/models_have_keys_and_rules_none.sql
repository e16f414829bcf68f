-- One row per request with a cache key that rules answered, and per request without one that a model answered.
select
    release,
    suite,
    request_id,
    model,
    engine,
    key
from staging.calls
where (engine = 'extractive') = (key is not null)
