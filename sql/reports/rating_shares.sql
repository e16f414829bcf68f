-- One row per release, suite, judge, what was expected and model: the shares of its ratings, or of what became of cases.
--
-- expected   answer or refuse; in a suite that has `rating_classes`, what that says
-- shares     numbers from the best to the worst, words by how many there are
with rating_classes as (

    select * exclude (is_compliant) replace (coalesce(rating::varchar, 'unreadable') as rating)
    from reports.rating_classes

    union all by name

    from suites.rating_classes

),

rating_shares as (

    select
        release,
        suite,
        judge,
        expected,
        model,
        sum(n) as n,
        string_agg(
            rating || ': ' || printf('%.2f', share), ', ' order by try_cast(rating as integer) desc, n desc, rating
        ) as shares
    from rating_classes
    where share is not null -- without the unscored
    group by all

)

select * from rating_shares
order by release, suite, judge, expected, model
