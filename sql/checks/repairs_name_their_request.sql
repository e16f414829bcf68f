-- One row per repair whose repaired request is not there, asks something else, or is a repair itself.
with described as (

    select
        repairs.release,
        repairs.suite,
        repairs.request_id,
        repairs.repairs,
        case
            when repaired.request_id is null
                then 'no such request'
            when repaired.operation != repairs.operation
                then 'another operation'
            when repaired.subject_id != repairs.subject_id
                then 'another subject'
            when repaired.model != repairs.model
                then 'another model'
            when repaired.repairs is not null
                then 'a repair itself'
        end as what_is_wrong
    from staging.calls as repairs
    left join staging.calls as repaired
        on repairs.release = repaired.release
        and repairs.suite = repaired.suite
        and repairs.repairs = repaired.request_id
    where repairs.repairs is not null

)

select * from described
where what_is_wrong is not null
