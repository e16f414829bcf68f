-- One row per release, suite, pair of judges and slice: how far two judges agree on the same answers.
--
-- No rows without two judges that rate.
with judge_agreement as (

    pivot (
        select
            release,
            suite,
            rater as judge,
            other_rater as other_judge,
            slice_by,
            slice_value,
            n,
            n_unscored as n_unscored_by_either,
            measure,
            value,
            low,
            high
        from reports.agreements
        where relation = 'two judges'
    )
    on measure in ('agreement', 'kappa', 'weighted_kappa')
    using any_value(value) as value, any_value(low) as low, any_value(high) as high

)

select
    release,
    suite,
    judge,
    other_judge,
    slice_by,
    slice_value,
    n,
    n_unscored_by_either,
    agreement_value as agreement,
    agreement_low,
    agreement_high,
    kappa_value as kappa,
    kappa_low,
    kappa_high,
    weighted_kappa_value as weighted_kappa,
    weighted_kappa_low,
    weighted_kappa_high
from judge_agreement
order by release, suite, judge, other_judge, slice_by, slice_value
