-- One row per set of traits by which FAITH's units are sliced, or models compared.
select
    'faith' as suite,
    *
from (
    values
    (['scenario'], true),
    (['unit'], true)
) as sets (traits, is_compared)
