-- One row per release, judge and model of the lake, and one per model printed in the TableQuest paper (see source).
--
-- Accuracy is of judges of single answers, and elo of judges that compare answers with the baseline's.
with metrics as (

    select
        release,
        judge,
        model,
        metric,
        value,
        macros.interval(low, high) as value_interval
    from tablequest.metrics
    where slice_by = 'overall'

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
        any_value(value) filter (where metric = 'elo') as elo
    from metrics
    group by all
    having coalesce(accuracy, elo) is not null

),

leaderboard as (

    select * from own_models
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
