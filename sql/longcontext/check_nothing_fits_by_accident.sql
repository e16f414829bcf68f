-- One row per background article of a haystack that might fit its query after all, and why.
--
-- Its title has the company's name, its date is no clear one for the query, or its company may be the query's.
-- Invented companies are told apart by their names alone.
with titles as (

    select
        release,
        suite,
        article_id,
        ' ' || regexp_replace(lower(title), '[^\p{L}\p{N}]+', ' ', 'g') || ' ' as title_words
    from raw.articles

),

companies as (

    select
        release,
        suite,
        query_id,
        ' ' || trim(regexp_replace(lower(company), '[^\p{L}\p{N}]+', ' ', 'g')) || ' ' as company_words
    from raw.queries
    where company is not null

),

named as (

    select
        companies.release,
        companies.suite,
        companies.query_id,
        titles.article_id,
        true as is_named
    from companies
    inner join titles using (release, suite)
    where contains(titles.title_words, companies.company_words)

),

wrong as (

    select
        shown.release,
        shown.suite,
        shown.case_id,
        shown.article_id,
        shown.number,
        case
            when barred.article_id is not null then 'it may be about the company'
            when named.is_named and (shown.is_about_company or shown.source != 'invented')
                then 'its title names the company'
            when shown.published = shown.since or shown.published > shown.today
                then 'its date is at the edge of the range, or after today'
        end as fault
    from longcontext.shown_articles as shown
    left join named using (release, suite, query_id, article_id)
    left join raw.barred_articles as barred using (release, suite, company, article_id)
    where shown.kind is null and fault is not null

)

select * from wrong
