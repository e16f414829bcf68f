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
        records.length,
        records.number as record_number,
        records.n_articles,
        abs(placed.number - 1 - placed.depth * (records.n_articles - 1)) as away
    from raw.placed_articles as placed
    inner join raw.records as records using (release, suite, case_id)
    where placed.kind = 'needle'

),

-- records that share a text share its places
texts as (

    select
        needles.release,
        needles.suite,
        cases.context_id,
        cases.variant,
        needles.number
    from needles
    inner join raw.cases as cases using (release, suite, case_id)

),

crowded as (

    select
        needles.release,
        needles.suite,
        needles.case_id,
        needles.number,
        count(distinct texts.number) as n_between
    from needles
    inner join raw.cases as cases using (release, suite, case_id)
    inner join texts
        on needles.release = texts.release
        and needles.suite = texts.suite
        and cases.context_id = texts.context_id
        and needles.number != texts.number
        and abs(texts.number - 1 - needles.depth * (needles.n_articles - 1)) <= needles.away + 0.5
    group by all

),

-- of records on one text, one's needle may be where another's was drawn
planned as (

    select
        release,
        suite,
        background_id,
        flatten(list(depths)) as depths
    from raw.planned_records
    group by all

),

wrong as (

    select
        needles.*,
        planned.depths
    from needles
    left join crowded using (release, suite, case_id, number)
    left join planned using (release, suite, background_id)
    where not coalesce(list_contains(planned.depths, needles.depth), false)
        or needles.away > 0.5 + 1e-9 + coalesce(crowded.n_between, 0)

)

select * from wrong
