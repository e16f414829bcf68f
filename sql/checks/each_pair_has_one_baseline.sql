-- One row per pair that is not asked as it is exactly once.
with qa_pairs as (

    select release, suite, qa_pair_id from raw.qa_pairs

),

baselines as (

    select release, suite, qa_pair_id, case_id from raw.cases
    where variant = 'baseline'

),

counted as (

    select
        qa_pairs.release,
        qa_pairs.suite,
        qa_pairs.qa_pair_id,
        count(baselines.case_id) as n_baselines
    from qa_pairs
    left join baselines using (release, suite, qa_pair_id)
    group by all
    having n_baselines != 1

)

select * from counted
