-- One row per release, suite and filing that questions are of: the number of the group in which it is drawn anew.
with groups as (

    select distinct
        release,
        suite,
        filing_id as group_id,
        group_number
    from staging.pairs

)

select * from groups
