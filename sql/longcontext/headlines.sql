-- One row per metric that the suite's models are ranked by.
select 'longcontext' as suite, 'f1' as metric
