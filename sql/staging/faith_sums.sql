-- One row per release, model, judge, metric, slice and group of filings: what the group adds to FAITH's metric.
select * from macros.sums('scores.faith')
