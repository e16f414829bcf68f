-- One row per release, suite and variant that cases were made of, or could not be.
select
    release,
    suite,
    variant
from raw.cases
union
select
    release,
    suite,
    split_part(stage, '.', 2) as variant
from raw.rejects
where stage like 'cases.%'
