-- One row per release, model, judge, metric and slice of FAITH.
--
-- accuracy is the share of answers that a judge finds correct: `strict` and `official` are its judges. Slices are those of
-- `staging.pair_slices`, by scenario, mask type, unit and number of tables among them. The other columns are those of
-- `macros.measured`.
with faith as (

    select
        suite,
        release,
        model,
        judge,
        metric,
        slice,
        n,
        n_unscored,
        value,
        ci_low,
        ci_high,
        worst,
        best,
        n_groups
    from macros.measured('staging.faith_sums')

)

select * from faith
