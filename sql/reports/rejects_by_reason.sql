-- One row per release, suite, stage and reason: how many items were rejected, with one example.
--
-- What people reject (`staging.rejected_by_people`) stays in the release and leaves its metrics.
with rejects as (

    select
        release,
        suite,
        stage,
        reason,
        reject_id,
        parent_id,
        detail
    from raw.rejects

    union all

    select
        release,
        suite,
        stage,
        'people rejected it' as reason,
        case_id as reject_id,
        case_id as parent_id,
        detail
    from staging.rejected_by_people

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
