-- An end of the 95 % interval of any statistic: its quantile of the replicates, with what percentiles of few groups lack
-- put back as in `interval_low`; null where one group says nothing about others, or no replicate differs.
create macro macros.widened(value, quantile, n_groups) as
    case
        when n_groups >= 2 and quantile != value then
            value + (quantile - value) * macros.student_t(n_groups - 1) / 1.959964 * sqrt(n_groups / (n_groups - 1))
    end
