-- One row per judged reply about a haystack or a single article: the IDs that the judge read, and the needles.
--
-- Single articles have the variant `single`, and neither IDs nor needles. group_number is that of the query, and
-- donor_group_number that of the haystack's background, which tasks, twins and placements share. Backgrounds are
-- numbered after queries, else a query and a background of one number would be drawn together. An unreadable reply
-- counts as one that lists a wrong ID: no reader gains by what it cannot read.
with judged_cases as (

    select
        judged_cases.*,
        judgements.details::json as details
    from staging.judged_cases as judged_cases
    inner join staging.judgements as judgements using (release, suite, judgement_id)
    where judged_cases.suite = 'longcontext'

),

pairs as (

    select * from staging.pairs
    where suite = 'longcontext'

),

queries as (

    select
        release,
        max(group_number) + 1 as n_groups
    from pairs
    group by release

),

records as (

    select
        release,
        case_id,
        length,
        (dense_rank() over (partition by release order by md5(background_id), background_id) - 1) % 256 as background
    from raw.records
    where suite = 'longcontext'

),

targets as (

    select
        release,
        case_id,
        target
    from raw.cases
    where suite = 'longcontext'

),

needles as (

    select
        release,
        case_id,
        list(number order by number) as numbers,
        list({'number': number, 'depth': least(floor(10 * depth), 9)::integer} order by number) as places
    from raw.placed_articles
    where suite = 'longcontext' and kind = 'needle'
    group by all

),

replies as (

    select
        judged_cases.* exclude (donor_group_number),
        queries.n_groups + records.background as donor_group_number,
        targets.target,
        pairs.traits,
        records.length,
        judged_cases.variant = 'single' as is_single,
        coalesce(needles.numbers, []) as needles,
        coalesce(needles.places, []) as places,
        -- of a number with more digits than any haystack has articles, only that it is wrong counts
        list_transform(
            from_json(judged_cases.details -> 'ids', '["VARCHAR"]'), lambda id: coalesce(try_cast(id as bigint), -1)
        ) as ids,
        len(list_intersect(ids, needles.numbers)) as n_right,
        greatest(len(ids), (judged_cases.label = 'unreadable')::integer) as n_listed
    from judged_cases
    inner join pairs using (release, suite, pair_number)
    inner join queries using (release)
    inner join targets using (release, case_id)
    left join records using (release, case_id)
    left join needles using (release, case_id)

)

select * from replies
