-- Both ends of the 95 % interval of a statistic that lies between -1 and 1, from two quantiles of its replicates.
--
-- Each is as in `widened`; where no replicate differs towards one end, that end is the value. Null where one group says
-- nothing about others, and where no replicate differs by more than sums of fractions are rounded by.
create macro macros.interval_within_one(value, ends, n_groups) as
    case
        when n_groups >= 2 and greatest(abs(ends[1] - value), abs(ends[2] - value)) > 1e-9
            then [
                least(value, coalesce(macros.widened_within_one(value, ends[1], n_groups), value)),
                greatest(value, coalesce(macros.widened_within_one(value, ends[2], n_groups), value))
            ]
    end
