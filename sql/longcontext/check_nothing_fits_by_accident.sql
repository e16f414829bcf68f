-- One row per background article of a haystack that might fit its query after all, and why.
--
-- Its title has the company's name, its date is no clear one for the query, or its company may be the query's.
-- Invented companies are told apart by their names alone.
-- What was placed for another query of the same text is no background: it only must not be about the company perhaps.
with placed as (

    select distinct
        release,
        suite,
        context_id,
        number
    from longcontext.shown_articles
    where kind is not null

),

shown as (

    select
        shown.*,
        placed.number is null as is_background
    from longcontext.shown_articles as shown
    left join placed using (release, suite, context_id, number)
    where shown.kind is null

),

titles as (

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

words as (

    select
        shown.*,
        titles.title_words,
        companies.company_words
    from shown
    inner join titles using (release, suite, article_id)
    inner join companies using (release, suite, query_id)
    where is_background

),

accidents as (

    select
        release,
        suite,
        case_id,
        article_id,
        number,
        'its title names the company' as fault
    from words
    where contains(title_words, company_words) and (is_about_company or source != 'invented')

    union all

    select
        release,
        suite,
        case_id,
        article_id,
        number,
        'its date is at the edge of the range, or after today'
    from shown
    where is_background and (published = since or published > today)

    union all

    select
        shown.release,
        shown.suite,
        shown.case_id,
        shown.article_id,
        shown.number,
        'it may be about the company'
    from shown
    semi join raw.barred_articles as barred
        on shown.release = barred.release
        and shown.suite = barred.suite
        and shown.company = barred.company
        and shown.article_id = barred.article_id

)

select * from accidents
