-- One row per answer that a judge of its model has not judged, or judged twice; and per judgement of something that is not an answer.
with judgements as (

    select * from staging.judgements
    where other_request_id is null

),

expected as (

    select
        answer_requests.*,
        judges.judge
    from staging.answer_requests as answer_requests
    inner join (select distinct release, suite, model, judge from judgements) as judges using (release, suite, model)

)

select
    release,
    suite,
    model,
    judge,
    request_id,
    case_id,
    count(expected.request_id) as n_answers,
    count(judgement_id) as n_judgements
from expected
full outer join judgements using (release, suite, model, judge, request_id, case_id)
group by all
having n_answers = 0 or n_judgements != 1
