-- One row per cell of FAITH's metrics (release, model, judge, metric, slice) and case that it counts.
select * from macros.units('scores.faith')
