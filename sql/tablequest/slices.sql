-- One row per set of traits by which TableQuest's units are sliced, or models compared: a pair's task is its level.
select
    'tablequest' as suite,
    *
from (
    values
    (['task'], true),
    (['answer'], false),
    (['evidence'], false),
    (['operation'], false),
    (['scale'], false),
    (['tables'], false)
) as sets (traits, is_compared)
