-- One row per release, suite, pair of judges and slice: how far two judges agree on the same answers.
--
-- Judges agree if both or neither call the answer right, by a rating of 4 or better if they rate. Unreadable answers are
-- put to no judge.
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

select * rename (agreement_value as agreement, kappa_value as kappa, weighted_kappa_value as weighted_kappa)
from judge_agreement
order by release, suite, judge, other_judge, slice_by, slice_value
