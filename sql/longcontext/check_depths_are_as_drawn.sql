-- One row per needle whose depth was not drawn for its record, or that is not at its depth.
--
-- A needle whose place was taken by another one has the nearest free place: it is one place further away for each
-- needle between.
with needles as (

    select
        placed.release,
        placed.suite,
        placed.case_id,
        placed.number,
        placed.depth,
        records.background_id,
        records.n_articles,
        abs(placed.number - 1 - placed.depth * (records.n_articles - 1)) as away
    from raw.placed_articles as placed
    inner join raw.records as records using (release, suite, case_id)
    where placed.kind = 'needle'

),

crowded as (

    select
        needles.release,
        needles.suite,
        needles.case_id,
        needles.number,
        count(*) as n_between
    from needles
    inner join needles as others
        on needles.release = others.release
        and needles.suite = others.suite
        and needles.case_id = others.case_id
        and needles.number != others.number
        and abs(others.number - 1 - needles.depth * (needles.n_articles - 1)) <= needles.away + 0.5
    group by all

),

wrong as (

    select
        needles.*,
        planned.depths
    from needles
    left join crowded using (release, suite, case_id, number)
    left join raw.planned_records as planned using (release, suite, background_id)
    where not coalesce(list_contains(planned.depths, needles.depth), false)
        or needles.away > 0.5 + 1e-9 + coalesce(crowded.n_between, 0)

)

select * from wrong
