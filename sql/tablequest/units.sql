-- One row per release, model, judge, metric and unit of TableQuest: what the unit counts, null where it is unscored.
--
-- easy_accuracy, medium_accuracy    share of correct answers of the level, by `reference` or a model as `accuracy`; a unit is
--                                   a case that the judge can judge
-- em, f1, rouge_l                   closeness of an answer's words to the reference's, 0 to 1, by `reference`
-- critique                          points of a model as `critique`, 1 to 3
--                                   both are units of a pair: whether an answer holds is for accuracy to say
-- points                            points of a model's games against another model: 1 if won, 1/2 for a tie, 0 if lost
--
-- A failed call is unscored also where its answer would not have been judged; `is_number` leaves those out for the rule.
with judged_cases as (

    select
        judged_cases.*,
        judgements.details::json as details
    from staging.judged_cases as judged_cases
    inner join staging.judgements as judgements using (release, suite, judgement_id)
    where judged_cases.suite = 'tablequest'

),

accuracy as (

    select
        release,
        model,
        null::varchar as other_model,
        judge,
        task || '_accuracy' as metric,
        case_id,
        case label when 'correct' then 1.0 when 'wrong' then 0.0 end as numerator
    from judged_cases
    where
        task in ('easy', 'medium')
        and label is distinct from 'not judged'
        and ((judge = 'reference' and (details ->> 'is_number')::boolean) or judge like 'accuracy=%')

),

closeness as (

    select
        release,
        model,
        null::varchar as other_model,
        judge,
        metric,
        case_id,
        (details ->> metric)::double as numerator
    from judged_cases
    cross join (values ('em'), ('f1'), ('rouge_l')) as metrics (metric)
    where judge = 'reference'

),

critique as (

    select
        release,
        model,
        null::varchar as other_model,
        judge,
        'critique' as metric,
        case_id,
        1 + 2 * score as numerator
    from judged_cases
    where judge like 'critique=%'

),

points as (

    select
        release,
        model,
        other_model,
        judge,
        'points' as metric,
        case_id,
        case outcome when 'won' then 1.0 when 'tie' then 0.5 when 'lost' then 0.0 end as numerator
    from tablequest.games

),

every_metric as (

    select * from accuracy
    union all
    select * from closeness
    union all
    select * from critique
    union all
    select * from points

),

cases as (

    select * from raw.cases
    where suite = 'tablequest'

),

units as (

    select
        cases.suite,
        every_metric.release,
        every_metric.model,
        every_metric.other_model,
        every_metric.judge,
        every_metric.metric,
        if(metric in ('em', 'f1', 'rouge_l', 'critique'), cases.qa_pair_id, every_metric.case_id) as unit_id,
        pairs.pair_number,
        pairs.group_number,
        null::bigint as donor_group_number,
        cases.variant,
        pairs.task,
        cases.is_answerable,
        pairs.traits,
        every_metric.numerator,
        if(every_metric.numerator is null, null, 1) as denominator,
        [every_metric.case_id] as case_ids
    from every_metric
    inner join cases using (release, case_id)
    inner join staging.pairs as pairs
        on cases.release = pairs.release
        and cases.suite = pairs.suite
        and cases.qa_pair_id = pairs.qa_pair_id

)

select * from units
