-- One row per response that is ok without a text, or failed without saying why.
select
    release,
    suite,
    request_id,
    status
from raw.responses as responses
where (status = 'ok' and text is null) or (status != 'ok' and error_type is null)
