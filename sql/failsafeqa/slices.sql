-- One row per set of traits by which FailSafeQA's units are sliced, or models compared.
select
    'failsafeqa' as suite,
    *
from (
    values
    (['variant'], true),
    (['task'], true),
    (['scanned_figures'], false),
    (['variant', 'task'], false)
) as sets (traits, is_compared)
