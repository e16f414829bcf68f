-- The most groups that filings are drawn in: with more filings than this, some are drawn together, so that intervals over
-- millions of judgements take seconds. A standard error from 256 groups is off by about 4 %, as are the ends of an
-- interval from 1,000 replicates in any case.
create macro macros.bootstrap_groups() as 256
