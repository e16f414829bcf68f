-- One row per release, suite, model, judge, what was expected (answer or refuse) and rating: how many answers got it.
--
-- Shares are of the scored answers. A row without a rating counts unreadable answers (is_compliant is false), or those
-- that the judge left unscored (null).
with counted as (

    select
        release,
        suite,
        model,
        judge,
        if(is_answerable, 'answer', 'refuse') as expected,
        rating,
        compliance = 1 as is_compliant,
        count(*) as n
    from staging.judged_cases as judged_cases
    group by all

),

rating_classes as (

    select
        *,
        if(is_compliant is null, null, n / sum(n) filter (where is_compliant is not null) over of_bar) as share
    from counted
    window of_bar as (partition by release, suite, model, judge, expected)
    -- a judge that decides rates nothing
    qualify count(rating) over of_bar > 0

)

select * from rating_classes
order by release, suite, model, judge, expected, rating, is_compliant
