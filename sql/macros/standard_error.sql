-- The standard error of a statistic of n groups of filings, from the standard deviation of its replicates.
--
-- Groups drawn from the n at hand vary by a factor of (n - 1) / n too little (Hesterberg 2015, "What teachers should know
-- about the bootstrap"), which is put back. Rounded, so that what divisions round off is no spread. One group says
-- nothing about others: null.
create macro macros.standard_error(deviation, n_groups) as
    case when n_groups >= 2 then round(deviation * sqrt(n_groups / (n_groups - 1)), 12) end
