-- One row per pair and slice that all its cases lie in.
with pairs as (

    select * from staging.pairs

),

traits as (

    select
        release,
        suite,
        qa_pair_id,
        unnest([
            'overall',
            'task=' || task,
            'fiscal_year=' || fiscal_year,
            'format=' || format,
            'context_tokens=' || context_tokens
        ]) as slice
    from pairs

),

pair_slices as (

    select * from traits
    where slice is not null

)

select * from pair_slices
