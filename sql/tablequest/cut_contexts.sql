-- One row per release and model under test of TableQuest, if any context was cut: how many prompts lack the end of theirs.
--
-- A context is cut by --cut-contexts, for a model whose window does not hold the whole prompt.
with prompts as (

    select
        release,
        model,
        n_cut_tokens
    from staging.answer_requests
    where suite = 'tablequest'

),

cut_contexts as (

    select
        release,
        model,
        count(*) as n,
        count(n_cut_tokens) as n_cut,
        n_cut / n as cut_share,
        median(n_cut_tokens) as median_cut_tokens,
        coalesce(max(n_cut_tokens), 0) as most_cut_tokens,
        coalesce(sum(n_cut_tokens), 0)::bigint as n_cut_tokens
    from prompts
    group by release, model
    qualify max(n_cut) over (partition by release) > 0

)

select * from cut_contexts
order by release, model
