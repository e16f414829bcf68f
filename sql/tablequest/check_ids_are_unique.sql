-- One row per id that two drafts or verifications share within a release.
with ids as (

    select 'drafts' as table_name, release, suite, draft_id as id from raw.drafts
    union all
    select 'verifications', release, suite, verification_id from raw.verifications

)

select *, count(*) as n from ids
group by all
having n > 1
