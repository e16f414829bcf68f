-- One row per release and kind of question: the share that people reject of those that they rated (`tenkbench audit questions`).
--
-- A kind is a pair's task or a variant. `all` is of all rated questions alike; a sheet has about as many of each kind.
with questions as (

    select
        release,
        task,
        count(*) filter (where agrees) <= count(*) filter (where not agrees) as is_rejected
    from staging.question_audits
    where suite = 'failsafeqa' and agrees is not null
    group by release, task, qa_pair_id

)

select
    release,
    coalesce(task, 'all') as task,
    count(*) as n_rated,
    count(*) filter (where is_rejected) as n_rejected,
    avg(is_rejected::integer) as rejected_share
from questions
group by grouping sets ((release, task), (release))
order by release, task
