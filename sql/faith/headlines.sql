-- One row per metric that the suite's models are ranked by.
select 'faith' as suite, 'accuracy' as metric
