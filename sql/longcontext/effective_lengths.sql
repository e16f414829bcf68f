-- One row per release, model, judge, task and placement: the longest length up to which the lower end of F1's interval is at least a threshold.
--
-- F1 does so at a length if the lower bound of its interval is at least the option `threshold`, 0.8 by default. Lengths
-- count from the shortest one on: the first that fails ends them. Null if the shortest one fails.
with cells as (

    select
        release,
        model,
        judge,
        split_part(slice_value, ',', 1) as task,
        split_part(slice_value, ',', 2) as placement,
        split_part(slice_value, ',', 3)::bigint as length,
        coalesce(getvariable('threshold'), 0.8)::double as threshold,
        coalesce(low >= threshold, false) as is_above
    from longcontext.metrics
    where slice_by = 'task,variant,length' and metric = 'f1'

),

held as (

    select
        *,
        bool_and(is_above) over (
            partition by release, model, judge, task, placement
            order by length
        ) as is_held
    from cells

),

effective_lengths as (

    select
        release,
        model,
        judge,
        task,
        placement,
        threshold,
        max(length) filter (where is_held) as effective_length,
        max(length) as longest_length
    from held
    group by all

)

select * from effective_lengths
order by release, model, judge, task, placement
