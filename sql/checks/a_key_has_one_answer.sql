-- One row per cache key that two answers with different texts stand for in one step.
--
-- A step's requests are those of one operation to one model, and of one candidate where answers are judged: another
-- step may have been run with --fresh since, and hold a newer answer.
select
    release,
    suite,
    operation,
    model,
    candidate,
    key,
    count(distinct hash(text)) as n_texts,
    min(request_id) as example_request_id
from staging.calls
where status = 'ok' and key is not null
group by all
having n_texts > 1
