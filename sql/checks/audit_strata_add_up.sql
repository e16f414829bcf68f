-- One row per draw and stratum of an audit whose items are not as many as it says, or more than the stratum has.
with items as (

    select release, suite, draw_id, stratum, n_stratum, n_drawn
    from raw.audit_items
    union all
    select release, suite, draw_id, stratum, n_stratum, n_drawn
    from raw.question_items

),

strata as (

    select
        release,
        suite,
        draw_id,
        stratum,
        count(*) as n_items,
        min(n_drawn) as n_drawn,
        max(n_drawn) as most_drawn,
        min(n_stratum) as n_stratum,
        max(n_stratum) as most_in_stratum
    from items
    group by all
    having
        count(*) != min(n_drawn)
        or min(n_drawn) != max(n_drawn)
        or min(n_stratum) != max(n_stratum)
        or min(n_drawn) > min(n_stratum)

)

select * from strata
