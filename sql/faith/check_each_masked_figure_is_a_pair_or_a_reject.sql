-- One row per masked figure that is not exactly one of a pair and a reject.
with rejects as (

    select
        release,
        suite,
        parent_id as span_id,
        count(*) as n_rejects
    from raw.rejects
    where stage = 'qa_pairs'
    group by all

),

counted as (

    select
        spans.release,
        spans.suite,
        spans.span_id,
        spans.qa_pair_id,
        coalesce(rejects.n_rejects, 0) as n_rejects
    from raw.masked_spans as spans
    left join rejects using (release, suite, span_id)
    where (spans.qa_pair_id is not null)::integer + coalesce(rejects.n_rejects, 0) != 1

)

select * from counted
