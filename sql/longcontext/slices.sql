-- One row per set of traits by which models are compared in the long-context suite, besides the whole.
select
    'longcontext' as suite,
    *
from (
    values
    (['task'], true),
    (['length'], true),
    (['task', 'length'], true),
    (['task', 'variant'], true),
    (['needles'], false),
    (['depth'], false),
    (['variant', 'length'], false),
    (['task', 'length', 'depth'], false)
) as sets (traits, is_compared)
