-- The standard error of a share of n units in a few groups of filings: that between groups, or that of n independent draws where it is larger; null where it says too little.
--
-- Two or three groups tell next to nothing of what groups differ by where some kinds of filings are easy and others
-- hard: in simulations down to 65 % of such intervals held the truth with 30 to 100 units a group, and 88 % with 10
-- (4 groups: 87 %, 5 groups: 93 %). So there is none, however few the units: else a slice had one where the whole, of
-- the same filings, has none.
--
-- A few groups are alike by chance now and then, and a standard error between them then says that much more is known
-- than so many units can tell. In simulations of 3 groups of 100 units, shares of 0.5 and 0.9 and a correlation of 0.02
-- within groups that was so in 27 % of samples, of whose intervals 83 % held the truth; of those by this rule 99 % did,
-- and most others stayed as they were. With six groups and more it is rare. 0 stays 0, for which `interval_low` has a
-- wider bound of its own.
create macro macros.standard_error_of_share(standard_error, share, n, n_groups) as
    case
        when n_groups < macros.fewest_groups() then null
        when n_groups < 6 and standard_error > 0 then greatest(standard_error, sqrt(share * (1 - share) / n))
        else standard_error
    end
