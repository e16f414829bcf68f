-- One row per metric that the suite's models are ranked by.
select 'failsafeqa' as suite, 'llmc' as metric
