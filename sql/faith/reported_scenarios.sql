-- One row per release, model, judge and scenario that the model reports: its correct answers, as the paper aggregates them.
--
-- share is that of the scenario among the model's correct answers; 'none' and 'another' as in `faith.scenarios`.
with reported_scenarios as (

    select
        release,
        model,
        judge,
        reported,
        sum(n_correct)::bigint as n_correct,
        sum(n_correct) / sum(sum(n_correct)) over (partition by release, model, judge) as share
    from faith.scenarios
    group by release, model, judge, reported

)

select * from reported_scenarios
where n_correct > 0
order by release, model, judge, n_correct desc, reported
