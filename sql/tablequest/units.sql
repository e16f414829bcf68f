-- One row per release, model, judge, metric and unit of TableQuest: what the unit counts, null where it is unscored.
--
-- easy_accuracy, medium_accuracy    share of correct answers of the level, by `reference` or a model as `accuracy`; a unit is
--                                   a case that the judge can judge
-- em, f1, rouge_l                   closeness of an answer's words to the reference's, 0 to 1, by `reference`
-- critique                          points of a model as `critique`, 1 to 3
-- points                            points of a model's games against another model; a unit is a case: 1 if the judge prefers
--                                   it in both orders, 0 if the other one in both, else 1/2; null if an order is unscored
-- baseline_points                   the same of games against the baseline alone, from which `elo` follows
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

comparisons as (

    select * from staging.judgements
    where suite = 'tablequest' and other_request_id is not null

),

points as (

    select
        shown_first.release,
        shown_first.model,
        shown_first.other_model,
        shown_first.judge,
        'points' as metric,
        shown_first.case_id,
        case
            when shown_first.label is null or shown_second.label is null then null
            when shown_first.label = 'won' and shown_second.label = 'lost' then 1.0
            when shown_first.label = 'lost' and shown_second.label = 'won' then 0.0
            else 0.5
        end as numerator
    from comparisons as shown_first
    inner join comparisons as shown_second
        on shown_first.release = shown_second.release
        and shown_first.judge = shown_second.judge
        and shown_first.case_id = shown_second.case_id
        and shown_first.model = shown_second.other_model
        and shown_first.other_model = shown_second.model

),

baseline_points as (

    select * replace ('baseline_points' as metric)
    from points
    where other_model = getvariable('baseline')

),

every_metric as (

    select * from accuracy
    union all
    select * from closeness
    union all
    select * from critique
    union all
    select * from points
    union all
    select * from baseline_points

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
        every_metric.case_id as unit_id,
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
