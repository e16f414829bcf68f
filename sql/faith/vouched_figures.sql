-- One row per masked figure that a panel vouches for: three models or more all say that the tables give it, and one restores it.
select
    release,
    suite,
    span_id
from raw.votes
group by all
having count(*) >= 3 and bool_and(coalesce(is_answerable, false)) and bool_or(is_reached)
