-- One row per pair with neither case nor reject, or, in a suite with baselines, without exactly one baseline.
with cases as (

    select
        release,
        suite,
        qa_pair_id,
        count(*) as n_cases,
        count(*) filter (where variant = 'baseline') as n_baselines
    from raw.cases
    group by all

),

suites as (

    select
        release,
        suite,
        sum(n_baselines) > 0 as has_baselines
    from cases
    group by all

),

rejects as (

    select distinct
        release,
        suite,
        parent_id as qa_pair_id
    from raw.rejects

),

unasked as (

    select
        qa_pairs.release,
        qa_pairs.suite,
        qa_pairs.qa_pair_id,
        coalesce(cases.n_baselines, 0) as n_baselines
    from raw.qa_pairs as qa_pairs
    left join cases using (release, suite, qa_pair_id)
    left join suites using (release, suite)
    left join rejects using (release, suite, qa_pair_id)
    where (cases.n_cases is null and rejects.qa_pair_id is null)
        or (suites.has_baselines and coalesce(cases.n_baselines, 0) != 1)

)

select * from unasked
