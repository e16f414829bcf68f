-- One row per prefix_id that stands for two texts; the same prefix may be recorded by several steps.
select
    release,
    suite,
    prefix_id,
    count(distinct hash(system, text)) as n_texts
from raw.prefixes
group by all
having n_texts > 1
