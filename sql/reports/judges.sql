-- One row per release, suite and judge: how many judgements it made, and whether a set of rules played it as a model.
with judgements as (

    select * from staging.judgements

),

responses as (

    select
        release,
        suite,
        request_id,
        engine
    from raw.responses

),

judges as (

    select
        judgements.release,
        judgements.suite,
        judgements.judge,
        count(*) as n,
        coalesce(bool_and(responses.engine = 'extractive'), false) as is_rules
    from judgements
    left join responses
        on judgements.release = responses.release
        and judgements.suite = responses.suite
        and judgements.judge_request_id = responses.request_id
    group by all

)

select * from judges
order by release, suite, judge
