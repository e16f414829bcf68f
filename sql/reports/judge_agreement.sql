-- One row per release, suite, pair of judges and slice: how far two judges agree on the same answers.
--
-- n answers are rated by both, n_unscored_by_either lack a rating. `agreement` is the share whose compliance is the
-- same, `kappa` Cohen's of compliance, `weighted_kappa` that of the ratings 1 to 6, weighted quadratically; intervals
-- are 95 %, by a bootstrap over filings. A kappa is null where both judges give one score throughout.
with agreements as (

    from macros.agreements(['two judges'])

),

judge_agreement as (

    select
        release,
        suite,
        rater as judge,
        other_rater as other_judge,
        slice,
        n,
        n_unscored as n_unscored_by_either,
        agreement,
        agreement_low,
        agreement_high,
        kappa,
        kappa_low,
        kappa_high,
        weighted_kappa,
        weighted_kappa_low,
        weighted_kappa_high
    from agreements

)

select * from judge_agreement
order by release, suite, judge, other_judge, slice
