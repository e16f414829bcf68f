-- One row per release, model, judge, metric and unit of the toy suite.
--
-- recall    share of the words of the company's name that an answer has
-- wins      share of comparisons that the model wins against the other one, whichever is shown first
with scored as (

    select
        release,
        suite,
        judge,
        model,
        other_model,
        'recall' as metric,
        judgement_id,
        case_id,
        score as numerator
    from staging.judgements
    where suite = 'toy' and other_model is null

    union all

    select
        release,
        suite,
        judge,
        model,
        other_model,
        'wins' as metric,
        judgement_id,
        case_id,
        (label = 'won')::integer as numerator
    from staging.judgements
    where suite = 'toy' and other_model is not null

    union all

    select
        release,
        suite,
        judge,
        other_model as model,
        model as other_model,
        'wins' as metric,
        judgement_id,
        case_id,
        (label = 'lost')::integer as numerator
    from staging.judgements
    where suite = 'toy' and other_model is not null

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
        concat_ws(' ', scored.judgement_id, scored.model) as unit_id,
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
