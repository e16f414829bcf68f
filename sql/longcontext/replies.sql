-- One row per judged reply about a haystack or a single article: the IDs that the judge read, and the needles.
--
-- Single articles have the variant `single` and neither IDs nor needles.
with judged_cases as (

    select
        judged_cases.*,
        judgements.details::json as details,
        responses.finish_reason
    from staging.judged_cases as judged_cases
    inner join staging.judgements as judgements using (release, suite, judgement_id)
    inner join raw.responses as responses using (release, suite, request_id)
    where judged_cases.suite = 'longcontext'

),

queries as (

    select
        cases.release,
        cases.case_id,
        cases.target,
        (
            dense_rank() over (
                partition by cases.release order by md5(cases.details ->> 'query_id'), cases.details ->> 'query_id'
            ) - 1
        ) % 256 as query_number
    from raw.cases as cases
    where cases.suite = 'longcontext'

),

needles as (

    select
        release,
        case_id,
        list(number) as needles,
        list({'number': number, 'depth': least(floor(10 * depth), 9)::integer}) as places
    from raw.placed_articles
    where suite = 'longcontext' and kind = 'needle'
    group by all

),

replies as (

    select
        judged_cases.* exclude (donor_group_number, pair_number, group_number, filing_id, task),
        queries.query_number as donor_group_number,
        queries.target,
        pairs.task,
        pairs.pair_number,
        pairs.group_number,
        pairs.traits,
        try_cast(pairs.traits['length'] as integer) as length,
        judged_cases.variant = 'single' as is_single,
        coalesce(needles.needles, []) as needles,
        coalesce(needles.places, []) as places,
        -- of a number with more digits than any haystack has articles, only that it is wrong counts
        list_transform(from_json(details -> 'ids', '["VARCHAR"]'), lambda id: coalesce(try_cast(id as bigint), -1)) as ids,
        len(list_filter(needles, lambda number: list_contains(ids, number))) as n_right
    from judged_cases
    inner join queries using (release, case_id)
    inner join staging.pairs as pairs using (release, suite, qa_pair_id)
    left join needles using (release, case_id)

)

select * from replies
