-- One row per haystack, and per needle of it: its traits, and the group of the haystack's background.
--
-- Tasks, twins and placements share a background. Backgrounds are numbered after queries, else a query and a background of
-- one number would be drawn together.
with queries as (

    select
        release,
        max(group_number) + 1 as n_groups
    from staging.pairs
    where suite = 'longcontext'
    group by release

),

haystacks as (

    select
        records.release,
        records.suite,
        records.case_id,
        50 * records.negative_tokens // contexts.n_tokens as fiftieth,
        queries.n_groups + (
            dense_rank() over (partition by records.release order by md5(background_id), background_id) - 1
        ) % 256 as donor_group_number
    from raw.records as records
    inner join raw.cases as cases using (release, suite, case_id)
    inner join raw.contexts as contexts using (release, suite, context_id)
    inner join queries using (release)
    where records.suite = 'longcontext'

),

needles as (

    select
        haystacks.*,
        placed.number,
        least(floor(10 * placed.depth), 9)::integer as tenth
    from raw.placed_articles as placed
    inner join haystacks using (release, suite, case_id)
    where placed.kind = 'needle'

),

parts as (

    select
        * exclude (fiftieth),
        case_id as part_id,
        map {'negatives': format('{:02d}-{:02d} %', 2 * fiftieth, 2 * fiftieth + 2)} as traits
    from haystacks

    union all by name

    select
        * exclude (fiftieth, number, tenth),
        case_id || ' ' || number as part_id,
        map {'depth': format('{:02d}-{} %', 10 * tenth, 10 * tenth + 10)} as traits
    from needles

)

select * from parts
