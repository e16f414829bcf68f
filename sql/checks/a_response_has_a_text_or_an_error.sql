-- One row per response that is ok without a text, or failed without saying why.
with responses as (

    select
        release,
        suite,
        request_id,
        status,
        text,
        error_type
    from raw.responses

),

unexplained as (

    select
        release,
        suite,
        request_id,
        status
    from responses
    where (status = 'ok' and text is null) or (status != 'ok' and error_type is null)

)

select * from unexplained
