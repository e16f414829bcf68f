-- One row per primer that no two requests of its model share their prefix with, or that is about something else.
--
-- A judge's group spans all models that were judged together; where one's judgements have been removed since, a
-- single request may be left of it.
with calls as (

    select
        release,
        suite,
        request_id,
        subject_id,
        prefix_id,
        operation,
        model,
        candidate
    from staging.calls

),

primers as (

    select * from calls
    where operation = 'prime'

),

groups as (

    select
        release,
        suite,
        model,
        prefix_id,
        count(*) as n_requests,
        count(candidate) as n_judgings
    from calls
    where operation != 'prime'
    group by all

),

alone as (

    select
        release,
        suite,
        primers.request_id,
        prefix_id,
        coalesce(groups.n_requests, 0) as n_requests
    from primers
    left join groups using (release, suite, model, prefix_id)
    where
        primers.subject_id != prefix_id
        or groups.n_requests is null
        or (groups.n_requests = 1 and groups.n_judgings = 0)

)

select * from alone
