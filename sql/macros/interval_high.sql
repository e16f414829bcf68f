-- The upper end of a value's 95 % interval; see `interval_low`.
create macro macros.interval_high(value, high, n_groups) as
    case
        when value is null or n_groups < 2 then null
        when value = 0 and high = 0 then 1 - 0.025 ** (1 / n_groups)
        else least(
            1,
            value + (high - value) * macros.student_t(n_groups - 1) / 1.959964 * sqrt(n_groups / (n_groups - 1))
        )
    end
