-- One row per release, suite, auditor and who the auditor is compared with (each judge, each other auditor), and slice.
--
-- `rater` is an auditor, or all of them together; n counts ratings, so an answer that two have rated counts twice there.
-- Values are for all answers that the audited ones were drawn from: each counts for as many as its stratum has per
-- answer of it that was rated (by both, of two auditors). Correlations are of the ratings 1 to 6 (Kendall's is tau-b),
-- agreement and kappa of compliance; intervals are 95 %, by a bootstrap over filings.
with agreements as (

    select * from macros.agreements(['audited', 'two auditors'])
    where slice not like 'model=%'

),

rank_correlations as (

    select * from staging.rank_correlations

),

audit_agreement as (

    select
        agreements.release,
        agreements.suite,
        agreements.rater,
        if(agreements.relation = 'audited', 'judge', 'auditor') as compared_with,
        agreements.other_rater,
        agreements.slice,
        agreements.n,
        agreements.n_unscored,
        agreements.pearson,
        agreements.pearson_low,
        agreements.pearson_high,
        rank_correlations.spearman,
        rank_correlations.spearman_low,
        rank_correlations.spearman_high,
        rank_correlations.kendall,
        rank_correlations.kendall_low,
        rank_correlations.kendall_high,
        agreements.agreement,
        agreements.agreement_low,
        agreements.agreement_high,
        agreements.kappa,
        agreements.kappa_low,
        agreements.kappa_high
    from agreements
    left join rank_correlations using (relation, release, suite, rater, other_rater, slice)

)

select * from audit_agreement
order by release, suite, compared_with desc, rater, other_rater, slice
