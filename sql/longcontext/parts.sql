-- One row per haystack, and per needle of it: what recall counts, and the group of the haystack's background.
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
        queries.n_groups + (
            dense_rank() over (partition by records.release order by md5(background_id), background_id) - 1
        ) % 256 as donor_group_number
    from raw.records as records
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
        *,
        case_id as part_id,
        map {}::map(varchar, varchar) as traits
    from haystacks

    union all by name

    select
        * exclude (number, tenth),
        case_id || ' ' || number as part_id,
        map {'depth': format('{:02d}-{} %', 10 * tenth, 10 * tenth + 10)} as traits
    from needles

)

select * from parts
