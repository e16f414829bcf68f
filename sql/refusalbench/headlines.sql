-- One row per metric that the suite's models are ranked by.
select 'refusalbench' as suite, 'crs' as metric
