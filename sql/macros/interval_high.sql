-- The upper end of the 95 % interval of a value between 0 and 1, by what it lacks to 1; see `interval_low`.
create macro macros.interval_high(value, standard_error, n_groups) as
    1 - macros.interval_low(1 - value, standard_error, n_groups)
