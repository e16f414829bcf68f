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

misspellings as (

    select
        releases.release,
        printed.kind,
        count(edits.kind) as n,
        count(edits.kind) / sum(count(edits.kind)) over (partition by releases.release) as share,
        printed.paper_share::double as paper_share
    from (select distinct release from edits) as releases
    cross join printed
    left join edits
        on releases.release = edits.release
        and printed.kind = edits.kind
    group by releases.release, printed.kind, printed.paper_share

)

select * from misspellings
order by release, paper_share desc
