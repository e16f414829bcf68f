-- One row per release, suite, kind of context and band of 1,000 tokens: how many pairs are asked on a context of that length.
with contexts as (

    select
        release,
        suite,
        context_id,
        kind,
        n_tokens
    from raw.contexts

),

shown as (

    select distinct
        release,
        suite,
        qa_pair_id,
        context_id
    from raw.cases
    where context_id is not null

),

context_tokens as (

    select
        contexts.release,
        contexts.suite,
        contexts.kind,
        contexts.n_tokens // 1000 * 1000 as from_tokens,
        count(*) as n
    from shown
    inner join contexts using (release, suite, context_id)
    group by all

)

select * from context_tokens
order by release, suite, kind, from_tokens
