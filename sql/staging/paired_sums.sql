-- One row per release, judge, metric, slice, pair of models and group of filings: what the group adds to both models' means.
--
-- Over units that both models have a score for; see `macros.paired_sums`. other_release is the release.
with units as materialized (

    select * from staging.compared_units

),

paired as (

    select
        units.suite,
        units.release,
        units.release as other_release,
        units.judge,
        units.metric,
        units.slices,
        units.group_number,
        units.model,
        others.model as other_model,
        units.score,
        others.score as other_score
    from units
    inner join units as others using (suite, release, judge, metric, unit_id)
    where units.model < others.model

)

select * from macros.paired_sums('paired')
