-- One row per release, model, judge and task: the longest length up to which F1 surely stays above the run's threshold.
--
-- F1 does so at a length if the lower bound of its interval is at least `threshold`, the option of the run. Lengths
-- count from the shortest one on: the first that fails ends them. Null if the shortest fails.
with cells as (

    select
        release,
        model,
        judge,
        split_part(slice_value, ',', 1) as task,
        split_part(slice_value, ',', 2)::integer as length,
        value,
        low
    from longcontext.metrics
    where slice_by = 'task,length' and metric = 'f1'

),

held as (

    select
        *,
        bool_and(coalesce(low >= coalesce(getvariable('threshold'), 0.8)::double, false)) over (
            partition by release, model, judge, task order by length
        ) as holds
    from cells

),

effective_lengths as (

    select
        release,
        model,
        judge,
        task,
        coalesce(getvariable('threshold'), 0.8)::double as threshold,
        max(length) filter (where holds) as effective_length,
        max(length) as longest_length
    from held
    group by all

)

select * from effective_lengths
order by release, model, judge, task
