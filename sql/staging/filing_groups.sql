-- One row per release, suite and filing: the number of the group in which it is drawn anew, from 0.
--
-- Groups are made by a hash of the filing, so that they say nothing about its content.
with filings as (

    select distinct
        release,
        suite,
        filing_id
    from staging.pair_filings

),

filing_groups as (

    select
        release,
        suite,
        filing_id,
        (
            row_number() over (partition by release, suite order by md5(filing_id), filing_id) - 1
        ) % macros.bootstrap_groups() as group_number
    from filings

)

select * from filing_groups
