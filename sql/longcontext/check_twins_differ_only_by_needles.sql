-- One row per haystack with needles whose twin is missing, or differs from it by more than the needles.
with records as (

    select
        records.* replace (list_transform(records.articles, lambda article_id: hash(article_id)) as articles),
        cases.context_id,
        cases.variant,
        queries.task
    from raw.records as records
    inner join raw.cases as cases using (release, suite, case_id)
    inner join raw.queries as queries using (release, suite, query_id)

),

needles as (

    select
        release,
        suite,
        case_id,
        list(number) as numbers
    from raw.placed_articles
    where kind = 'needle'
    group by all

),

negatives as (

    select
        release,
        suite,
        case_id,
        list([number::varchar, article_id] order by number) as placed
    from raw.placed_articles
    where kind != 'needle'
    group by all

),

wrong as (

    select
        records.release,
        records.suite,
        records.case_id,
        twins.case_id as twin_case_id
    from records
    inner join needles using (release, suite, case_id)
    left join records as twins
        on records.release = twins.release
        and records.suite = twins.suite
        and records.query_id = twins.query_id
        and records.length = twins.length
        and records.number = twins.number
        and records.variant = twins.variant
        and twins.n_needles = 0
    left join negatives using (release, suite, case_id)
    left join negatives as twin_negatives
        on twins.release = twin_negatives.release
        and twins.suite = twin_negatives.suite
        and twins.case_id = twin_negatives.case_id
    where records.n_needles > 0
        and (
            twins.case_id is null
            or twins.n_articles != records.n_articles
            or negatives.placed is distinct from twin_negatives.placed
            or len(list_filter(
                range(1, records.n_articles + 1),
                lambda n: (records.articles[n] = twins.articles[n]) = list_contains(needles.numbers, n)
            )) > 0
        )

)

select * from wrong
