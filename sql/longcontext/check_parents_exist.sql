-- One row per record, placed article or barred article whose parent is not in the release.
with records as (select release, suite, case_id, query_id, background_id, articles from raw.records),

placed_articles as (select release, suite, case_id, article_id from raw.placed_articles),

shown as (select release, suite, case_id, unnest(articles) as article_id from records),

orphans as (

    select 'records' as table_name, release, suite, case_id as id, case_id as parent_id
    from records
    anti join raw.cases using (release, suite, case_id)

    union all

    select 'records', release, suite, case_id, query_id
    from records
    anti join raw.queries using (release, suite, query_id)

    union all

    select 'records', release, suite, case_id, background_id
    from records
    anti join raw.planned_records using (release, suite, background_id)

    union all

    select 'records', release, suite, case_id, article_id
    from shown
    anti join raw.articles using (release, suite, article_id)

    union all

    select 'placed_articles', release, suite, case_id, case_id
    from placed_articles
    anti join records using (release, suite, case_id)

    union all

    select 'barred_articles', release, suite, company, article_id
    from raw.barred_articles
    anti join raw.articles using (release, suite, article_id)

)

select * from orphans
