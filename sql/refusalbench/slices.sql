-- One row per set of traits by which models are compared in RefusalBench, or its units are sliced together.
select
    'refusalbench' as suite,
    *
from (
    values
    (['task'], true),
    (['perturbation_class'], true),
    (['intensity'], true),
    (['task', 'perturbation_class'], false),
    (['task', 'intensity'], false),
    (['task', 'intensity', 'perturbation_class'], false),
    (['task', 'generator'], false)
) as sets (traits, is_compared)
