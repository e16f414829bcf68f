-- One row per id that two articles, queries, planned records or records share within a release.
with ids as (

    select 'articles' as table_name, release, suite, article_id as id from raw.articles
    union all
    select 'queries', release, suite, query_id from raw.queries
    union all
    select 'planned_records', release, suite, planned_record_id from raw.planned_records
    union all
    select 'records', release, suite, case_id from raw.records

)

select *, count(*) as n from ids
group by all
having n > 1
