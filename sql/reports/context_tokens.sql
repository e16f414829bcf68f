-- One row per release, suite, kind of context and band of 1,000 tokens: how many pairs are asked on a context of that length.
with shown as (

    select distinct
        release,
        suite,
        qa_pair_id,
        context_id
    from raw.cases
    where context_id is not null

)

select
    contexts.release,
    contexts.suite,
    contexts.kind,
    contexts.n_tokens // 1000 * 1000 as from_tokens,
    count(*) as n
from shown
inner join raw.contexts as contexts using (release, suite, context_id)
group by all
order by release, suite, kind, from_tokens
