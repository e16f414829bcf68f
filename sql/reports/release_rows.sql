-- One row per two releases (in both orders) and row that either has, by its id: whether it is the same, changed, gone or new in other_release.
--
-- No rows without two releases.
-- Ids are made from what a row is about: a filing's is its accession number, a pair's comes from its context, query and
-- answer, a case's from its pair and variant. So a filing that is read in another way keeps its id and has a
-- changed document, while another context is new and the old one gone, with the pairs asked on it.
with named_rows as materialized (

    select * from staging.named_rows

),

releases as (

    select distinct release
    from raw.filings

),

here as (

    select
        named_rows.*,
        others.release as other_release
    from named_rows
    inner join releases as others on named_rows.release != others.release

),

there as (

    select
        * exclude (release, other_release),
        other_release as release,
        release as other_release
    from here

),

release_rows as (

    select
        release,
        other_release,
        suite,
        table_name,
        coalesce(there.kind, here.kind) as kind,
        row_id,
        case
            when here.content is null then 'new'
            when there.content is null then 'gone'
            when here.content = there.content then 'same'
            else 'changed'
        end as change,
        here.said,
        there.said as other_said
    from here
    full outer join there using (release, other_release, suite, table_name, row_id)

)

select * from release_rows
order by release, other_release, suite, table_name, kind, row_id
