-- One row per release, suite, model, judge and what was expected (answer or refuse): how often each rating was given.
--
-- Shares are of the scored cases, so that ratings 1 to 6 add up to 1.
with judged_cases as (

    select * from staging.judged_cases

),

counted as (

    select
        release,
        suite,
        model,
        judge,
        if(is_answerable, 'answer', 'refuse') as expected,
        count(*) as n,
        count(rating) as n_scored,
        count(*) filter (where rating = 1) as n_1,
        count(*) filter (where rating = 2) as n_2,
        count(*) filter (where rating = 3) as n_3,
        count(*) filter (where rating = 4) as n_4,
        count(*) filter (where rating = 5) as n_5,
        count(*) filter (where rating = 6) as n_6,
        count(*) - count(rating) as n_unscored
    from judged_cases
    group by all
    -- a judge that decides rates nothing
    having count(rating) > 0

),

rating_classes as (

    select
        * exclude (n_scored),
        n_1 / nullif(n_scored, 0) as share_1,
        n_2 / nullif(n_scored, 0) as share_2,
        n_3 / nullif(n_scored, 0) as share_3,
        n_4 / nullif(n_scored, 0) as share_4,
        n_5 / nullif(n_scored, 0) as share_5,
        n_6 / nullif(n_scored, 0) as share_6
    from counted

)

select * from rating_classes
order by release, suite, model, judge, expected
