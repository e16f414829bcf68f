-- One row per release, suite, judge and model: the metric that models are ranked by, and the next model that it leads.
-- It leads one if their difference is more than chance (p_holm is below 0.05, and the interval without 0), and the
-- unscored cannot turn it round: the worst that its value may be is above the best of the other's. cost_usd is that of
-- answers, usd_per_right what an answer cost that the judge found right.
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
        min(struct_pack(by := abs(difference), over := if(difference > 0, other_model, model), p_holm := p_holm)) as nearest,
        count(*) as n_led
    from reports.comparisons
    inner join headlines as first using (release, suite, judge, metric, model)
    inner join (select * rename (model as other_model) from headlines) as second
        using (release, suite, judge, metric, other_model)
    where comparisons.slice_by = 'overall' and p_holm < 0.05 and comparisons.low * comparisons.high > 0
        -- a metric without bounds, such as F1, has nothing to say of the unscored
        and coalesce(if(difference > 0, first.worst > second.best, second.worst > first.best), true)
    group by all

),

rights as (

    select release, suite, judge, model, count(*) as n_right
    from staging.judged_answers
    where is_compliant
    group by all

)

select
    headlines.* exclude (slice_by, slice_value, median, mean, worst, best, score_id),
    leads.nearest.over as ahead_of,
    leads.n_led as n_ahead_of,
    leads.nearest.p_holm as p_holm,
    tested_models.is_baseline,
    tested_models.cost_usd,
    round(tested_models.cost_usd / rights.n_right, 9) as usd_per_right
from headlines
left join leads using (release, suite, judge, model)
left join rights using (release, suite, judge, model)
left join reports.tested_models as tested_models using (release, suite, model)
order by release, suite, judge, value desc nulls last, model
