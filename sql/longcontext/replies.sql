-- One row per judged reply about a haystack or a single article: the IDs that the judge read, and the needles.
--
-- Single articles have the variant `single`, and neither IDs nor needles. An unreadable reply counts as one that lists a
-- wrong ID: no reader gains by what it cannot read.
with needles as (

    select
        release,
        suite,
        case_id,
        list(number order by number) as numbers
    from raw.placed_articles
    where kind = 'needle'
    group by all

),

replies as (

    select
        judged_cases.*,
        cases.target,
        records.length,
        judged_cases.variant = 'single' as is_single,
        coalesce(needles.numbers, []) as needles,
        -- of a number with more digits than any haystack has articles, only that it is wrong counts
        list_transform(
            from_json(judged_cases.details -> 'ids', '["VARCHAR"]'), lambda id: coalesce(try_cast(id as bigint), -1)
        ) as ids,
        len(list_intersect(ids, needles.numbers)) as n_right,
        greatest(len(ids), (judged_cases.label = 'unreadable')::integer) as n_listed
    from staging.judged_cases as judged_cases
    inner join raw.cases as cases using (release, suite, case_id)
    left join raw.records as records using (release, suite, case_id)
    left join needles using (release, suite, case_id)
    where judged_cases.suite = 'longcontext'

)

select * from replies
