-- One row per release, suite and judge: how many judgements it made, and whether a set of rules played it as a model.
select
    judgements.release,
    judgements.suite,
    judgements.judge,
    count(*) as n,
    coalesce(bool_and(responses.engine = 'extractive'), false) as is_rules
from staging.judgements as judgements
left join raw.responses as responses
    on judgements.release = responses.release
    and judgements.suite = responses.suite
    and judgements.judge_request_id = responses.request_id
group by all
order by release, suite, judge
