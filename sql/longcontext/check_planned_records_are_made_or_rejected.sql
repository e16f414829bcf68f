-- One row per planned record and query of its place that has not, in each placement, one haystack with needles and one without, or a reject.
with placements as (

    select distinct
        cases.release,
        cases.suite,
        cases.variant
    from raw.records as records
    inner join raw.cases as cases using (release, suite, case_id)

),

wanted as (

    select
        planned.release,
        planned.suite,
        planned.planned_record_id,
        planned.background_id,
        planned.length,
        planned.number,
        queries.query_id,
        queries.task,
        placements.variant
    from raw.planned_records as planned
    inner join raw.queries as queries using (release, suite, place)
    inner join placements using (release, suite)

),

made as (

    select
        records.release,
        records.suite,
        records.background_id,
        records.length,
        records.number,
        records.query_id,
        cases.variant,
        count(*) filter (where records.n_needles > 0) as n_with,
        count(*) filter (where records.n_needles = 0) as n_without
    from raw.records as records
    inner join raw.cases as cases using (release, suite, case_id)
    group by all

),

rejects as (

    select
        release,
        suite,
        parent_id as planned_record_id,
        split_part(detail, ',', 1) as task,
        count(*) as n_rejects
    from raw.rejects
    where stage = 'records'
    group by all

),

wrong as (

    select
        wanted.*,
        coalesce(made.n_with, 0) as n_with,
        coalesce(made.n_without, 0) as n_without,
        coalesce(rejects.n_rejects, 0) as n_rejects
    from wanted
    left join made using (release, suite, background_id, length, number, query_id, variant)
    left join rejects using (release, suite, planned_record_id, task)
    where (coalesce(made.n_with, 0), coalesce(made.n_without, 0), coalesce(rejects.n_rejects, 0))
        not in ((1, 1, 0), (0, 0, 1))

)

select * from wrong
