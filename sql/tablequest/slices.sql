-- One row per set of traits by which models are compared in TableQuest, besides the whole: a pair's task is its level.
select 'tablequest' as suite, * from (values (['task'], true)) as sets (traits, is_compared)
