-- One row per question put to a model under test.
select
    requests.request_id,
    requests.case_id,
    cases.qa_pair_id,
    requests.release,
    requests.suite,
    requests.model,
    cases.variant,
    cases.is_answerable,
    requests.n_prompt_tokens,
    requests.n_cut_tokens
from raw.requests as requests
inner join raw.cases as cases using (release, suite, case_id)
where requests.operation = 'answer' or starts_with(requests.operation, 'answer_')
