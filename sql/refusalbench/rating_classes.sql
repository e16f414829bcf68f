-- One row per release, judge, model, setting (or `all`) and response: how many of its cases it answered or refused so.
--
-- rating     correct answer, wrong answer, false refusal, right refusal, wrong refusal or missed refusal; null of cases
--            without a verdict
-- expected   the setting
-- share      of the cases with a verdict
with answers as (

    select
        * exclude (setting, expected),
        unnest(['all', setting]) as expected
    from refusalbench.answers
    where counts_as_behavior

),

rating_classes as (

    select
        release,
        'refusalbench' as suite,
        judge,
        model,
        expected,
        response as rating,
        count(*) as n,
        if(
            response is null,
            null,
            n / sum(n) filter (where response is not null) over (partition by release, judge, model, expected)
        ) as share
    from answers
    group by release, judge, model, expected, response

)

select * from rating_classes
order by release, judge, model, expected, rating nulls last
