-- The fewest filings of which a metric is given an interval; of fewer there is none, in whatever slice.
create macro macros.fewest_groups() as 4
