-- One row per release, model, judge, metric and slice: the metric with its 95 % interval, and its values in `replicates`.
--
-- `sums` names a relation as a suite's `sums`. n counts what is scored, n_unscored what is not
-- and stays out of the value. ci_low and ci_high come from the standard error by a bootstrap over filings
-- (`macros.interval_low`); worst and best are the value where all that is unscored had failed or held.
create macro macros.measured(sums) as table (

    select
        *,
        macros.standard_error_of_share(
            macros.standard_error(list_aggregate(replicates, 'stddev_pop'), n_groups), value, n, n_groups
        ) as standard_error,
        macros.interval_low(value, standard_error, n_groups) as ci_low,
        macros.interval_high(value, standard_error, n_groups) as ci_high
    from macros.resampled(sums)

)
