-- One row per set of traits by which RefusalBench's units are sliced, or models compared.
select
    'refusalbench' as suite,
    *
from (
    values
    (['task'], true),
    (['perturbation_class'], true),
    (['intensity'], true),
    (['lever'], false),
    (['generator'], false),
    (['answer_kind'], false),
    (['task', 'perturbation_class'], false),
    (['task', 'intensity'], false),
    (['task', 'intensity', 'perturbation_class'], false),
    (['task', 'generator'], false)
) as sets (traits, is_compared)
