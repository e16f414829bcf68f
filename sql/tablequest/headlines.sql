-- One row per metric that the suite's models are ranked by; which of them there is depends on the judge.
select 'tablequest' as suite, unnest(['accuracy', 'elo']) as metric
