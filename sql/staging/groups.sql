-- One row per release, suite and filing that questions are of: the number of the group in which it is drawn anew.
select distinct
    release,
    suite,
    filing_id as group_id,
    group_number
from staging.pairs
