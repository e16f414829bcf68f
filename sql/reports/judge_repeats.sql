-- One row per release, suite, judge and slice: what became of answers that the judge was asked to rate again.
--
-- A flip is a compliance that came out differently the second time; mean_rating_change is the mean distance between the
-- two ratings. No rows without `--judge-repeats`.
with agreements as (

    select * from reports.agreements
    where relation = 'judged again'

),

judge_repeats as (

    select
        release,
        suite,
        rater as judge,
        slice_by,
        slice_value,
        n,
        n_unscored,
        1 - any_value(value) filter (where measure = 'agreement') as flip_rate,
        1 - any_value(high) filter (where measure = 'agreement') as low,
        1 - any_value(low) filter (where measure = 'agreement') as high,
        coalesce(round(n * flip_rate), 0)::bigint as n_flips,
        any_value(value) filter (where measure = 'distance') as mean_rating_change
    from agreements
    group by release, suite, rater, slice_by, slice_value, n, n_unscored

)

select * from judge_repeats
order by release, suite, judge, slice_by, slice_value
