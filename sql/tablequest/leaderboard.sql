-- One row per release, judge and model of the lake, and one per model printed in the TableQuest paper (see source).
--
-- Accuracy is of judges of single answers, and elo of judges that compare answers with the baseline's. n and n_unscored
-- count the questions, or the games with the baseline, behind it. A judge that failed (see remarks) gives no rating.
with metrics as (

    select
        release,
        judge,
        model,
        metric,
        n,
        n_unscored,
        value,
        macros.interval(low, high) as value_interval
    from tablequest.metrics
    where slice_by = 'overall' and metric in ('easy_accuracy', 'medium_accuracy', 'accuracy', 'elo')

),

own_models as (

    select
        'this lake' as source,
        release,
        judge,
        model,
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

failed as (

    select
        release,
        judge,
        'the judge follows the order of the answers' as note
    from tablequest.position_bias
    where level = 'all' and is_failed

),

leaderboard as (

    select
        own_models.* replace (if(note is null, elo, null) as elo),
        note
    from own_models
    left join failed using (release, judge)
    union all by name
    select
        'paper (Pan et al. 2024)' as source,
        'gpt-4-turbo' as judge,
        model,
        easy_accuracy,
        medium_accuracy,
        accuracy,
        elo
    from tablequest.published

)

select * from leaderboard
order by source = 'this lake' desc, release, judge, coalesce(accuracy, elo) desc, model
