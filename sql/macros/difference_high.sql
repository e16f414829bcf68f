-- The upper end of the 95 % interval of a difference of two means; see `difference_low`.
create macro macros.difference_high(difference, low, high, n_groups) as
    case
        when n_groups < 2 then null
        when low = high then difference + (1 - 0.025 ** (1 / n_groups)) * (1 - difference)
        else coalesce(macros.widened_within_one(difference, high, n_groups), difference)
    end
