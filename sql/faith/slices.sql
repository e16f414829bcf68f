-- One row per set of traits by which FAITH's units are sliced, or models compared.
--
-- Of figures of our own filings a mask type says what the scenario says.
select
    'faith' as suite,
    *
from (
    values
    (['scenario'], true),
    (['unit'], true),
    (['mask_type'], false),
    (['tables'], false),
    (['given_by'], false)
) as sets (traits, is_compared)
