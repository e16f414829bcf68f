-- One row per request with its response: whichever step asked, whichever model answered.
--
-- `candidate` is the model whose answer is asked about (its judging); null where no answer is.
select
    requests.request_id,
    requests.case_id,
    requests.subject_id,
    requests.prefix_id,
    requests.release,
    requests.suite,
    requests.operation,
    requests.model,
    judged.model as candidate,
    requests.key,
    requests.repairs,
    requests.n_prompt_tokens,
    responses.status,
    responses.text,
    responses.finish_reason,
    responses.n_prompt,
    responses.n_cached,
    responses.n_output,
    responses.latency_ms,
    responses.first_token_ms,
    responses.attempts,
    responses.engine,
    responses.cost_usd
from raw.requests as requests
left join raw.responses as responses using (release, suite, request_id)
left join raw.requests as judged
    on requests.release = judged.release
    and requests.suite = judged.suite
    and requests.subject_id = judged.request_id
