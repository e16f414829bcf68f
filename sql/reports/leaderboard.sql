-- One row per release, suite, judge and model: the metric that models are ranked by, and the next model that it is ahead of.
-- p is p_holm of reports.comparisons for these two: the model leads if it is below 0.05. cost_usd is that of its answers.
with headlines as (

    select * from reports.metrics
    semi join suites.headlines using (suite, metric)
    where slice_by = 'overall'

),

leads as (

    select
        release,
        suite,
        judge,
        if(difference > 0, model, other_model) as model,
        min(struct_pack(by := abs(difference), over := if(difference > 0, other_model, model), p_holm := p_holm)) as nearest
    from reports.comparisons
    semi join suites.headlines using (suite, metric)
    where slice_by = 'overall' and difference != 0
    group by all

)

select
    headlines.release,
    headlines.suite,
    headlines.judge,
    headlines.model,
    headlines.metric,
    headlines.value,
    headlines.low,
    headlines.high,
    headlines.n,
    headlines.n_unscored,
    headlines.n_groups,
    leads.nearest.over as ahead_of,
    leads.nearest.p_holm as p_holm,
    tested_models.cost_usd
from headlines
left join leads using (release, suite, judge, model)
left join reports.tested_models as tested_models using (release, suite, model)
order by release, suite, judge, value desc nulls last, model
