-- One row per release, suite, judge and model: the metric that models are ranked by, and the next model that it leads.
-- It leads one if their difference is more than chance: p_holm is below 0.05, and the interval without 0. cost_usd is that of answers.
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
    where slice_by = 'overall' and p_holm < 0.05 and low * high > 0
    group by all

)

select
    headlines.* exclude (slice_by, slice_value, median, mean, worst, best, score_id),
    leads.nearest.over as ahead_of,
    leads.nearest.p_holm as p_holm,
    tested_models.is_baseline,
    tested_models.cost_usd
from headlines
left join leads using (release, suite, judge, model)
left join reports.tested_models as tested_models using (release, suite, model)
order by release, suite, judge, value desc nulls last, model
