-- One row per hard negative that is not what its reason says, by the article's own columns.
with negatives as (

    select
        shown.*,
        queries.sentiment,
        articles.mentions,
        date_diff('day', articles.published::date, queries.since::date) as days_before
    from longcontext.shown_articles as shown
    inner join raw.articles as articles using (release, suite, article_id)
    inner join raw.queries as queries using (release, suite, query_id)
    where shown.kind != 'needle'

),

alike as (

    select distinct
        negatives.release,
        negatives.suite,
        negatives.case_id,
        negatives.article_id
    from (select *, unnest(mentions).company as other_company from negatives) as negatives
    inner join raw.similar_companies as similar_companies
        using (release, suite, company, other_company)

),

wrong as (

    select
        negatives.release,
        negatives.suite,
        negatives.case_id,
        negatives.article_id,
        negatives.kind,
        negatives.reason
    from negatives
    left join alike using (release, suite, case_id, article_id)
    where not coalesce(
        case reason
            when 'similar name' then kind = 'natural' and alike.case_id is not null and not is_about_company
            when 'just outside' then kind = 'natural' and days_before between 1 and 60
            when 'other time' then kind = 'induced' and is_about_company and days_before >= 1
            when 'other sentiment'
                then kind = 'induced' and len(list_filter(
                    mentions, lambda mention: mention.company = company and mention.sentiment != sentiment
                )) > 0
            when 'other format' then kind = 'natural' and fits and published > since
                and day(published::date) > 12 and shown_date = strftime(published::date, '%Y-%d-%m')
        end
        and (fits = (reason = 'other format'))
        and (reason = 'other format' or shown_date is null or shown_date = published),
        false
    )

)

select * from wrong
