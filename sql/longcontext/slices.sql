-- One row per set of traits by which the long-context suite's units are sliced, or models compared.
select
    'longcontext' as suite,
    *
from (
    values
    (['task'], true),
    (['length'], true),
    (['needles'], false),
    (['negatives'], false),
    (['depth'], false),
    (['kind'], false),
    (['task', 'length'], true),
    (['task', 'variant'], true),
    (['variant', 'length'], false),
    (['task', 'variant', 'length'], false),
    (['task', 'length', 'depth'], false)
) as sets (traits, is_compared)
