-- One row per release, model, task and length: F1 as `strict` and as `paper` read the same replies, and their difference.
with cells as (

    select
        release,
        model,
        judge,
        split_part(slice_value, ',', 1) as task,
        split_part(slice_value, ',', 2)::bigint as length,
        value
    from longcontext.metrics
    where slice_by = 'task,length' and metric = 'f1'

),

reader_differences as (

    select
        release,
        model,
        task,
        length,
        max(value) filter (where judge = 'strict') as strict_f1,
        max(value) filter (where judge = 'paper') as paper_f1,
        paper_f1 - strict_f1 as difference
    from cells
    group by all
    having count(*) = 2

)

select * from reader_differences
order by release, model, task, length
