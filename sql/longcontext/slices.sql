-- One row per set of traits by which models are compared in the long-context suite, or its units are sliced together.
select
    'longcontext' as suite,
    *
from (
    values
    (['task'], true),
    (['length'], true),
    (['task', 'length'], true),
    (['task', 'variant'], true),
    (['variant', 'length'], false),
    (['task', 'variant', 'length'], false),
    (['task', 'length', 'depth'], false)
) as sets (traits, is_compared)
