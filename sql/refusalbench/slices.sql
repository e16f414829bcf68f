-- One row per set of traits by which models are compared in RefusalBench, or its units are sliced together.
select
    'refusalbench' as suite,
    *
from (
    values
    (['setting'], true),
    (['perturbation_class'], true),
    (['intensity'], true),
    (['setting', 'perturbation_class'], false),
    (['setting', 'intensity'], false),
    (['setting', 'variant'], false),
    (['setting', 'generator'], false)
) as sets (traits, is_compared)
