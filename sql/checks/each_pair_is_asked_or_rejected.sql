-- One row per pair with neither case nor reject, or, in a suite with baselines, without exactly one baseline.
with counted as (

    select
        qa_pairs.release,
        qa_pairs.suite,
        qa_pairs.qa_pair_id,
        count(cases.case_id) as n_cases,
        count(cases.case_id) filter (where cases.variant = 'baseline') as n_baselines
    from raw.qa_pairs as qa_pairs
    left join raw.cases as cases using (release, suite, qa_pair_id)
    group by all

),

described as (

    select
        *,
        sum(n_baselines) over (partition by release, suite) > 0 as has_baselines
    from counted

)

select described.* exclude (n_cases, has_baselines) from described
anti join raw.rejects as rejects
    on not described.has_baselines
    and described.release = rejects.release
    and described.suite = rejects.suite
    and described.qa_pair_id = rejects.parent_id
where n_cases = 0 or (has_baselines and n_baselines != 1)
