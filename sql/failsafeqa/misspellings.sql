-- One row per release and kind of spelling error: its share of all errors made, beside the paper's.
--
-- Errors are known only of queries misspelled here, not of a published dataset's. Shares of paper 000, "Misspellings".
with printed as (

    select *
    from (
        values
        ('split', 0.317),
        ('segment', 0.255),
        ('realword', 0.232),
        ('typo', 0.196)
    ) as rows (kind, paper_share)

),

edits as (

    select
        release,
        unnest(from_json(json_extract(details, '$.edits'), '[{"kind": "varchar"}]')).kind as kind
    from raw.cases
    where suite = 'failsafeqa' and variant = 'misspelled'

),

releases as (

    select distinct release from edits

),

counted as (

    select
        release,
        kind,
        count(*) as n
    from edits
    group by all

),

misspellings as (

    select
        releases.release,
        printed.kind,
        coalesce(counted.n, 0) as n,
        coalesce(counted.n, 0) / sum(counted.n) over (partition by releases.release) as share,
        printed.paper_share::double as paper_share
    from releases
    cross join printed
    left join counted
        on releases.release = counted.release
        and printed.kind = counted.kind

)

select * from misspellings
order by release, paper_share desc
