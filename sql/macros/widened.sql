-- An end of the 95 % interval of any statistic, from its quantile of the replicates.
--
-- Percentiles of a bootstrap over n groups are too narrow by sqrt((n - 1) / n) and by the normal quantile in place of
-- Student's (Hesterberg 2015, "What teachers should know about the bootstrap"): both are put back. Null where one group
-- says nothing about others, or no replicate differs.
create macro macros.widened(value, quantile, n_groups) as
    case
        when n_groups >= 2 and quantile != value then
            value + (quantile - value) * macros.student_t(n_groups - 1) / 1.959964 * sqrt(n_groups / (n_groups - 1))
    end
