-- The lower end of a value's 95 % interval, from the 2.5 % quantile of its replicates and the number of groups of filings.
--
-- Percentiles of a bootstrap over n filings are too narrow by sqrt((n - 1) / n) and by the normal quantile in place
-- of Student's (Hesterberg 2015, "What teachers should know about the bootstrap"): both are put back. Where all
-- filings agree there is nothing to draw anew: the exact bound of n draws without a failure, 0.025^(1/n). One filing
-- says nothing about others: null.
create macro macros.interval_low(value, low, n_groups) as
    case
        when value is null or n_groups < 2 then null
        when value = 1 and low = 1 then 0.025 ** (1 / n_groups)
        else greatest(
            0,
            value - (value - low) * macros.student_t(n_groups - 1) / 1.959964 * sqrt(n_groups / (n_groups - 1))
        )
    end
