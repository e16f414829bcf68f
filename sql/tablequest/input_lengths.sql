-- One row per release, model under test and band of 1,000 tokens: how many prompts of TableQuest's cases have that length.
--
-- Paper 001, Figure 3.
with prompts as (

    select
        release,
        model,
        n_prompt_tokens // 1000 * 1000 as from_tokens
    from staging.answer_requests
    where suite = 'tablequest'

),

counts as (

    select
        release,
        model,
        from_tokens,
        count(*) as n
    from prompts
    group by all

),

input_lengths as (

    select
        *,
        n / sum(n) over (partition by release, model) as share
    from counts

)

select * from input_lengths
order by release, model, from_tokens
