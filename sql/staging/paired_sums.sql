-- One row per release, judge, metric, slice, pair of models and group of filings: what the group adds to both models' means.
--
-- Over units that both models have a score for: `n` of them, the sums of their scores, and how many only the first
-- or only the other model got right. Slices are the whole, each perturbation and each task: those that the benchmark
-- was made for. Comparing all models within each of the others would be thousands of tests that nobody asked for, each
-- on a few filings; their intervals stand in the metrics.
with scores as materialized (

    select * from staging.scores
    where score is not null

),

paired as (

    select
        scores.suite,
        scores.release,
        scores.judge,
        scores.metric,
        scores.perturbation,
        scores.task,
        scores.group_number,
        scores.model,
        others.model as other_model,
        scores.score,
        others.score as other_score
    from scores
    inner join scores as others using (suite, release, judge, metric, unit_id)
    where scores.model < others.model

),

paired_sums as (

    select
        suite,
        release,
        judge,
        metric,
        if(
            grouping(perturbation) = 0,
            macros.slice_name(perturbation, null),
            macros.slice_name(null, if(grouping(task) = 0, task, null))
        ) as slice,
        model,
        other_model,
        group_number,
        count(*) as n,
        sum(score) as total,
        sum(other_score) as other_total,
        count(*) filter (where score = 1 and other_score = 0) as n_only_model,
        count(*) filter (where score = 0 and other_score = 1) as n_only_other
    from paired
    group by grouping sets (
        (suite, release, judge, metric, model, other_model, group_number),
        (suite, release, judge, metric, model, other_model, group_number, task),
        (suite, release, judge, metric, model, other_model, group_number, perturbation)
    )
    -- a pair as a unit has no perturbation
    having grouping(perturbation) = 1 or perturbation is not null

)

select * from paired_sums
