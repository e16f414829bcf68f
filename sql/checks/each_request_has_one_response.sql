-- One row per request that was not answered exactly once; a failure is an answer.
with requests as (

    select release, suite, request_id from raw.requests

),

responses as (

    select release, suite, request_id, status from raw.responses

),

counted as (

    select
        requests.release,
        requests.suite,
        requests.request_id,
        count(responses.status) as n_responses
    from requests
    left join responses using (release, suite, request_id)
    group by all
    having count(responses.status) != 1

)

select * from counted
