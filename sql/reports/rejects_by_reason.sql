-- One row per release, suite, stage and reason: how many things did not make it, with one example.
with rejects as (

    select * from raw.rejects

),

rejects_by_reason as (

    select
        release,
        suite,
        stage,
        reason,
        count(*) as n,
        arg_min(parent_id, reject_id) as example_parent_id,
        left(arg_min(detail, reject_id), 100) as example_detail
    from rejects
    group by all

)

select * from rejects_by_reason
order by release, suite nulls first, stage, n desc, reason
