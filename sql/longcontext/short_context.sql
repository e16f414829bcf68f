-- One row per release, model, judge and task of a release with `--single`, and one per model and task of the paper's table 2 (see source): F1 on single articles beside F1 in haystacks.
with cells as (

    select
        release,
        model,
        judge,
        slice_value as task,
        max(value) filter (where metric = 'single_f1') as single_f1,
        max(value) filter (where metric = 'f1') as f1,
        max(value) filter (where metric = 'context_loss') as context_loss,
        max(low) filter (where metric = 'context_loss') as low,
        max(high) filter (where metric = 'context_loss') as high
    from longcontext.metrics
    where slice_by = 'task' and metric in ('single_f1', 'f1', 'context_loss')
    group by all
    having single_f1 is not null

),

short_context as (

    select
        'this release' as source,
        *
    from cells

    union all by name

    select
        'the paper' as source,
        model,
        'paper' as judge,
        task,
        f1 as single_f1
    from longcontext.published
    where exists (from cells)

)

select * from short_context
order by source desc, release, model, judge, task
