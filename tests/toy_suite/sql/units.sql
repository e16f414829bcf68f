-- One row per release, model, judge, metric and unit of the toy suite.
--
-- recall    share of the words of the company's name that an answer has
-- wins      points of the model against the other one in a case: 1 if it wins in both orders, 0 if it loses in both,
--           else 1/2
with judgements as (

    select
        release,
        suite,
        judge,
        case_id,
        model,
        other_model,
        score,
        case label when 'won' then 1 when 'lost' then 0 when 'tie' then 0.5 end as points
    from staging.judgements
    where suite = 'toy'

),

either_side as (

    select * from judgements
    where other_model is not null

    union all by name

    select * replace (other_model as model, model as other_model, 1 - points as points)
    from judgements
    where other_model is not null

),

scored as (

    select
        release,
        judge,
        model,
        other_model,
        'recall' as metric,
        case_id,
        score as numerator
    from judgements
    where other_model is null

    union all

    select
        release,
        judge,
        model,
        other_model,
        'wins' as metric,
        case_id,
        if(count(points) < 2, null, if(avg(points) in (0, 1), avg(points), 0.5)) as numerator
    from either_side
    group by all

),

units as (

    select
        *,
        if(numerator is null, null, 1) as denominator
    from scored

)

select * from units
