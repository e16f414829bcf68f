-- One row per release, model, judge, task and length: recall and F1, and how far recall flatters (figure 7 of the paper).
select
    release,
    model,
    judge,
    split_part(slice_value, ',', 1) as task,
    split_part(slice_value, ',', 2)::bigint as length,
    max(value) filter (where metric = 'recall') as recall,
    max(value) filter (where metric = 'f1') as f1,
    recall - f1 as difference
from longcontext.metrics
where slice_by = 'task,length' and metric in ('recall', 'f1')
group by all
order by release, model, judge, task, length
