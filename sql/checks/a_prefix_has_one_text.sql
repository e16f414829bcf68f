-- One row per prefix_id that stands for two texts; the same prefix may be recorded by several steps.
with prefixes as (

    select
        release,
        suite,
        prefix_id,
        hash(system, text) as text_hash
    from raw.prefixes

),

ambiguous as (

    select
        release,
        suite,
        prefix_id,
        count(distinct text_hash) as n_texts
    from prefixes
    group by all
    having count(distinct text_hash) > 1

)

select * from ambiguous
