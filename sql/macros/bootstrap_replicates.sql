-- How often the filings are drawn anew for an interval.
create macro macros.bootstrap_replicates() as 1000
