-- One row per release, judge, metric, slice, pair of models and group of filings: what the group adds to both models' means.
--
-- Over units that both models have a score for; see `macros.paired_sums`. other_release is the release.
with scores as materialized (

    select * from suites.scores
    where score is not null

),

paired as (

    select
        scores.suite,
        scores.release,
        scores.release as other_release,
        scores.judge,
        scores.metric,
        scores.cut,
        scores.other_cut,
        scores.group_number,
        scores.model,
        others.model as other_model,
        scores.score,
        others.score as other_score
    from scores
    inner join scores as others using (suite, release, judge, metric, unit_id)
    where scores.model < others.model

)

select * from macros.paired_sums('paired')
