-- The upper end of a value's 95 % interval; see `interval_low`.
create macro macros.interval_high(value, high, n_filings) as
    case
        when value is null or n_filings < 2 then null
        when value = 0 and high = 0 then 1 - 0.025 ** (1 / n_filings)
        else least(
            1,
            value + (high - value) * macros.student_t(n_filings - 1) / 1.959964 * sqrt(n_filings / (n_filings - 1))
        )
    end
