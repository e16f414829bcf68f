-- One row per two releases, model, judge, metric, slice and group of filings: what the group adds to the model's two means.
--
-- Over units that both releases ask, by their ids, and have a score for; see `macros.paired_sums`. release comes before
-- other_release by name; other_model is the model.
with scores as materialized (

    select * from staging.scores
    where score is not null

),

paired as (

    select
        scores.suite,
        scores.release,
        others.release as other_release,
        scores.judge,
        scores.metric,
        scores.perturbation,
        scores.task,
        scores.group_number,
        scores.model,
        scores.model as other_model,
        scores.score,
        others.score as other_score
    from scores
    inner join scores as others using (suite, model, judge, metric, unit_id)
    where scores.release < others.release

)

from macros.paired_sums('paired')
