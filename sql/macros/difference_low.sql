-- The lower end of the 95 % interval of a difference of two means, from the quantile of its replicates; see `widened`.
--
-- Where no replicate differs, all filings agree, and there is nothing to draw anew: at most 1 - 0.025^(1/n) of other
-- filings are unlike the n at hand, and these may be as far off as -1. One filing says nothing about others: null.
create macro macros.difference_low(difference, low, high, n_groups) as
    case
        when n_groups < 2 then null
        when low = high then difference - (1 - 0.025 ** (1 / n_groups)) * (difference + 1)
        else coalesce(macros.widened_within_one(difference, low, n_groups), difference)
    end
