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
        suite,
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
        suite,
        judge,
        model,
        other_model,
        'wins' as metric,
        case_id,
        if(count(points) < 2, null, if(avg(points) in (0, 1), avg(points), 0.5)) as numerator
    from either_side
    group by all

),

cases as (

    select
        release,
        suite,
        case_id,
        qa_pair_id,
        variant,
        is_answerable,
        traits
    from raw.cases

),

pairs as (

    select
        release,
        suite,
        qa_pair_id,
        pair_number,
        group_number,
        task,
        traits
    from staging.pairs

),

units as (

    select
        scored.suite,
        scored.release,
        scored.model,
        scored.other_model,
        scored.judge,
        scored.metric,
        scored.case_id as unit_id,
        pairs.pair_number,
        pairs.group_number,
        null::bigint as donor_group_number,
        cases.variant,
        pairs.task,
        cases.is_answerable,
        map_concat(pairs.traits, cases.traits) as traits,
        scored.numerator,
        if(scored.numerator is null, null, 1) as denominator,
        [scored.case_id] as case_ids
    from scored
    inner join cases using (release, suite, case_id)
    inner join pairs using (release, suite, qa_pair_id)

)

select * from units
