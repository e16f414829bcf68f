-- One row per release, judge, setting (or `all`) and model: the shares of what became of its cases.
--
-- expected   the setting
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
        from refusalbench.responses
        where rating is not null
    )
    group by all

)

select * from rating_shares
order by release, judge, expected, model
