-- The lower end of the 95 % interval of a value between 0 and 1, from its standard error and n groups of filings.
--
-- Student's interval of the log odds, ln(p / (1 - p)), whose standard error is that of p over p (1 - p), taken back to
-- shares: near 0 and 1 it reaches further to the middle, as the truth does, and never beyond 0 or 1. (R's
-- survey::svyciprop has it as "logit".) In simulations of 8, 20 and 60 filings and shares from 0.06 to 0.998, 93 to 99 %
-- of these intervals hold the truth; where few filings fail, and those wholly, down to 90 %.
--
-- A standard error of 0 says that all filings agree, not that all others do: of those at most 1 - 0.025^(1/n) are unlike
-- the n at hand, and may be as low as 0. Of a value of 1 this is the exact bound of n draws without a failure.
create macro macros.interval_low(value, standard_error, n_groups) as
    case
        when standard_error = 0 then value * 0.025 ** (1 / n_groups)
        else
            value
            / (
                value
                + (1 - value) * exp(macros.student_t(n_groups - 1) * standard_error / (value * (1 - value)))
            )
    end
