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

responses as (

    select
        release,
        judge,
        model,
        expected,
        response as rating,
        coalesce(response in ('correct answer', 'right refusal'), false) as is_compliant,
        count(*) as n,
        if(
            response is null,
            null,
            n / sum(n) filter (where response is not null) over (partition by release, judge, model, expected)
        ) as share
    from answers
    group by release, judge, model, expected, response

)

select * from responses
order by release, judge, model, expected, rating nulls last
