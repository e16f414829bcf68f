-- The upper end of the 95 % interval of a difference of two values between 0 and 1; see `difference_low`.
create macro macros.difference_high(difference, standard_error, n_groups) as
    2 * macros.interval_high((1 + difference) / 2, standard_error / 2, n_groups) - 1
