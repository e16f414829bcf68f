-- One row per masked figure, derivation or vote whose parent is not in the release.
with masked_spans as (select release, suite, span_id, qa_pair_id, context_id from raw.masked_spans),

votes as (select release, suite, vote_id, span_id, request_id from raw.votes),

orphans as (

    select 'masked_spans' as table_name, release, suite, span_id as id, qa_pair_id as parent_id
    from masked_spans
    anti join raw.qa_pairs using (release, suite, qa_pair_id)
    where qa_pair_id is not null

    union all

    select 'masked_spans', release, suite, span_id, context_id
    from masked_spans
    anti join raw.contexts using (release, suite, context_id)

    union all

    select 'derivations', release, suite, derivation_id, span_id
    from raw.derivations
    anti join masked_spans using (release, suite, span_id)

    union all

    select 'votes', release, suite, vote_id, span_id
    from votes
    anti join masked_spans using (release, suite, span_id)

    union all

    -- an empty request is that of a published file's authors
    select 'votes', release, suite, vote_id, request_id
    from votes
    anti join raw.responses using (release, suite, request_id)
    where request_id != ''

)

select * from orphans
