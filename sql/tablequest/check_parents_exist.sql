-- One row per draft or verification whose parent is not in the release.
with drafts as (select release, suite, draft_id, context_id, request_id from raw.drafts),

verifications as (

    select release, suite, verification_id, draft_id, unnest([request_id, answer_request_id]) as request_id
    from raw.verifications

),

orphans as (

    select 'drafts' as table_name, release, suite, draft_id as id, context_id as parent_id
    from drafts
    anti join raw.contexts using (release, suite, context_id)

    union all

    select 'drafts', release, suite, draft_id, request_id
    from drafts
    anti join raw.responses using (release, suite, request_id)

    union all

    select 'verifications', release, suite, verification_id, draft_id
    from verifications
    anti join drafts using (release, suite, draft_id)

    union all

    select 'verifications', release, suite, verification_id, request_id
    from verifications
    anti join raw.responses using (release, suite, request_id)

)

select distinct * from orphans
