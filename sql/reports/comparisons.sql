-- One row per suite, release, judge, metric, slice and pair of models: how far apart they are on what both are scored on.
--
-- No rows without two models.
-- Quote p_holm: it takes the larger of the tests, and has all pairs of models in mind. A model leads if p_holm is below
-- 0.05 and low to high lies on one side of 0. The two models' values are of the n units that both have a score for, so
-- they can differ from those in the metrics. Ratings of models, such as Elo, have no rows: models are compared by the
-- points that ratings are made of.
with current_sets as (

    select * from raw.result_sets
    where is_current

)

select * from raw.comparisons
semi join current_sets using (suite, release, score_id)
order by suite, release, judge, metric, slice_by, slice_value, p_holm, model, other_model
