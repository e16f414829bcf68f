-- One row per baseline that does not ask its pair's query, on its context, for its answer, or is said to have none.
with described as (

    select
        baselines.release,
        baselines.suite,
        baselines.case_id,
        case
            when not baselines.is_answerable then 'unanswerable'
            when baselines.query != pairs.query then 'another query'
            when baselines.context_id is distinct from pairs.context_id then 'another context'
            when baselines.target != pairs.answer then 'another answer'
        end as what_is_wrong
    from raw.cases as baselines
    inner join raw.qa_pairs as pairs using (release, suite, qa_pair_id)
    where baselines.variant = 'baseline'

)

select * from described
where what_is_wrong is not null
