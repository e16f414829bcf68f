-- One row per release, judge, model and format of tables: its accuracy by a judge of single answers, its rating by one that compares two.
--
-- n and n_unscored count the questions, or the games with the baseline, behind it. `paper_models` has the paper's models, on
-- questions and by a judge of its own.
with metrics as (

    select
        release,
        judge,
        model,
        slice_value as format,
        metric,
        n,
        n_unscored,
        value,
        macros.interval(low, high) as value_interval
    from tablequest.metrics
    where slice_by = 'variant' and metric in ('easy_accuracy', 'medium_accuracy', 'accuracy', 'elo')

),

scores as (

    select
        release,
        judge,
        model,
        format,
        any_value(value) filter (where metric = 'easy_accuracy') as easy_accuracy,
        any_value(value) filter (where metric = 'medium_accuracy') as medium_accuracy,
        any_value(value) filter (where metric = 'accuracy') as accuracy,
        any_value(value_interval) filter (where metric = 'accuracy') as accuracy_interval,
        any_value(value) filter (where metric = 'elo') as elo,
        (sum(n) filter (where metric != 'accuracy'))::bigint as n,
        (sum(n_unscored) filter (where metric != 'accuracy'))::bigint as n_unscored
    from metrics
    group by all

),

leaderboard as (

    select
        scores.* replace (if(ladder.elo is null, null, scores.elo) as elo),
        if(ladder.elo is null, ladder.unrated_reason, null) as note
    from scores
    left join tablequest.ladder as ladder
        on scores.release = ladder.release
        and scores.judge = ladder.judge
        and scores.model = ladder.model
        and ladder.level = 'all'

)

select * from leaderboard
order by
    release, judge, coalesce(accuracy, elo) desc nulls last, model, list_position(['html', 'markdown', 'csv'], format)
