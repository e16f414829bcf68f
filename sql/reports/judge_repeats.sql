-- One row per release, suite, judge and slice: what became of answers that the judge was asked to rate again.
--
-- n answers have both ratings, n_unscored lack one. A flip is a compliance that came out differently the second time;
-- mean_rating_change is the mean distance between the two ratings. Only `--judge-repeats` makes rows.
with agreements as (

    from macros.agreements(['judged again'])

),

judge_repeats as (

    select
        release,
        suite,
        rater as judge,
        slice,
        n,
        n_unscored,
        n_flips,
        1 - agreement as flip_rate,
        1 - agreement_high as ci_low,
        1 - agreement_low as ci_high,
        distance as mean_rating_change
    from agreements

)

select * from judge_repeats
order by release, suite, judge, slice
