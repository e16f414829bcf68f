-- One row per case and model under test with no request, or more than one.
with models as (

    select distinct
        release,
        suite,
        model
    from staging.answer_requests

)

select
    cases.release,
    cases.suite,
    models.model,
    cases.case_id,
    count(answer_requests.request_id) as n_requests
from raw.cases as cases
inner join models using (release, suite)
left join staging.answer_requests as answer_requests using (release, suite, model, case_id)
group by all
having n_requests != 1
