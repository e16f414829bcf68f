-- One row per case about a haystack whose target is not the list of its needles' numbers, or whose counts are not theirs.
with placed as (

    select
        release,
        suite,
        case_id,
        coalesce(list(number order by number) filter (where kind = 'needle'), []) as needles,
        count(*) filter (where kind != 'needle') as n_negatives
    from raw.placed_articles
    group by all

)

select
    records.release,
    records.suite,
    records.case_id,
    cases.target,
    placed.needles,
    records.n_needles,
    records.n_negatives
from raw.records as records
left join raw.cases as cases using (release, suite, case_id)
left join placed using (release, suite, case_id)
where cases.target is distinct from '[' || array_to_string(coalesce(placed.needles, []), ',') || ']'
    or cases.is_answerable is distinct from (records.n_needles > 0)
    or records.n_needles != len(coalesce(placed.needles, []))
    or records.n_negatives != coalesce(placed.n_negatives, 0)
    or records.n_articles != len(records.articles)
