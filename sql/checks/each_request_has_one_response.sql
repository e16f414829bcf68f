-- One row per request that was not answered exactly once; a failure is an answer.
select
    requests.release,
    requests.suite,
    requests.request_id,
    count(responses.status) as n_responses
from raw.requests as requests
left join raw.responses as responses using (release, suite, request_id)
group by all
having count(responses.status) != 1
