-- Two-sided p of n and other_n filings of which all of the ones are above all of the others: no test on as many can be surer.
create macro macros.permutation_p(n, other_n) as
    least(1, 2 * exp(lgamma(n + 1) + lgamma(other_n + 1) - lgamma(n + other_n + 1)))
