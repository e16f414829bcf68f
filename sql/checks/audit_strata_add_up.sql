-- One row per draw and stratum of an audit whose items are not as many as it says, or more than the stratum has.
with items as (

    select release, suite, draw_id, stratum, n_stratum, n_drawn
    from raw.audit_items
    union all
    select release, suite, draw_id, stratum, n_stratum, n_drawn
    from raw.question_items

)

select
    release,
    suite,
    draw_id,
    stratum,
    count(*) as n_items,
    min(items.n_drawn) as n_drawn,
    max(items.n_drawn) as most_drawn,
    min(items.n_stratum) as n_stratum,
    max(items.n_stratum) as most_in_stratum
from items
group by all
having
    n_items != min(items.n_drawn)
    or min(items.n_drawn) != most_drawn
    or min(items.n_stratum) != most_in_stratum
    or min(items.n_drawn) > min(items.n_stratum)
