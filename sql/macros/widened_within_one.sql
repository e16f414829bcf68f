-- An end of the 95 % interval of a statistic that lies between -1 and 1; see `widened`.
create macro macros.widened_within_one(value, quantile, n_groups) as
    case
        when macros.widened(value, quantile, n_groups) is not null
            then greatest(-1, least(1, macros.widened(value, quantile, n_groups)))
    end
