-- One row per rejected variant that is of no case of its release and suite.
with rejects as (

    select release, suite, reject_id, stage, parent_id from raw.rejects
    where stage like 'cases.%'

)

select * from rejects
anti join raw.cases as cases
    on rejects.release = cases.release
    and rejects.suite = cases.suite
    and rejects.parent_id = cases.case_id
