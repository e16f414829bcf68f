-- One row per release, judge, level and model: the shares of what became of its cases.
--
-- expected   the level
with rating_shares as (

    select
        release,
        judge,
        expected,
        model,
        sum(n) as n,
        string_agg(rating || ': ' || printf('%.2f', n / n_rated), ', ' order by n desc, rating) as shares
    from (
        select *, sum(n) over (partition by release, judge, expected, model) as n_rated
        from tablequest.outcome_ratings
        where rating is not null
    )
    group by all

)

select * from rating_shares
order by release, judge, expected, model
