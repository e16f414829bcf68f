-- One row per case, judge and two models that are not compared exactly once in each order.
select
    release,
    suite,
    judge,
    case_id,
    least(judgements.model, judgements.other_model) as model,
    greatest(judgements.model, judgements.other_model) as other_model,
    count(*) filter (where judgements.model < judgements.other_model) as n_forward,
    count(*) filter (where judgements.model > judgements.other_model) as n_backward
from staging.judgements as judgements
where judgements.other_model is not null
group by all
having n_forward != 1 or n_backward != 1
