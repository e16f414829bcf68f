-- One row per release, suite, judge, what was expected (answer or refuse) and model: the shares of its ratings.
--
-- Shares are of the scored answers that a rating was given to, from the best rating to the worst.
with rating_shares as (

    select
        release,
        suite,
        judge,
        expected,
        model,
        sum(n) as n,
        string_agg(rating || ': ' || printf('%.2f', share), ', ' order by rating desc) as shares
    from reports.rating_classes as rating_classes
    where rating is not null
    group by all

)

select * from rating_shares
order by release, suite, judge, expected, model
