-- The most groups that filings are drawn in: with more filings than this, some are drawn together, so that an
-- interval over millions of judgements takes a second. A standard error from 1,024 groups is off by about 2 %.
create macro macros.bootstrap_groups() as 1024
