-- One row per release, model, judge, metric and case of TableQuest: what it counts, null where it is unscored.
--
-- easy_accuracy, medium_accuracy    share of correct answers of the level, by `reference` or a model as `accuracy`, of
--                                   cases that the judge can judge
-- em                                whether an answer is the reference's figure exactly, by `reference`
-- f1, rouge_l                       closeness of an answer's words to the reference's, 0 to 1, by `reference`
-- critique                          points of a model as `critique`, 1 to 3
-- easy_format, medium_format        points of another format of tables against HTML, of one question and model: 1 if only it
--                                   is answered correctly, 1/2 if both or neither are, 0 if only HTML is
-- points                            points of a model's games against another model: 1 if won, 1/2 for a tie, 0 if lost
--
-- The label `unreadable` is a reply without an answer: wrong, and 1 point of a critic.
--
-- A case's variant is the format of its tables. In several formats, each question has a unit for each of them.
--
-- A failed call is unscored also where its answer would not have been judged; `is_number` leaves those out for the rule.
with cases as (

    select * from raw.cases
    where suite = 'tablequest'

),

judged_cases as (

    select * from staging.judged_cases
    where suite = 'tablequest'

),

accuracy as (

    select
        release,
        model,
        null::varchar as other_model,
        judge,
        task || '_accuracy' as metric,
        case_id,
        case when label = 'correct' then 1.0 when label in ('wrong', 'unreadable') then 0.0 end as numerator
    from judged_cases
    where
        task in ('easy', 'medium')
        and ((judge = 'reference' and (details ->> 'is_number')::boolean) or judge like 'accuracy=%')

),

formats as (

    select
        accuracy.* replace (
            replace(accuracy.metric, '_accuracy', '_format') as metric,
            (1 + accuracy.numerator - of_html.numerator) / 2 as numerator
        )
    from accuracy
    inner join cases using (release, case_id)
    inner join cases as html_cases
        on cases.release = html_cases.release
        and cases.qa_pair_id = html_cases.qa_pair_id
        and html_cases.variant = 'html'
        and cases.variant != 'html'
    inner join accuracy as of_html
        on accuracy.release = of_html.release
        and accuracy.model = of_html.model
        and accuracy.judge = of_html.judge
        and accuracy.metric = of_html.metric
        and html_cases.case_id = of_html.case_id

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
    where judge = 'reference' and (metric != 'em' or (details ->> 'is_number')::boolean)

),

critique as (

    select
        release,
        model,
        null::varchar as other_model,
        judge,
        'critique' as metric,
        case_id,
        1 + 2 * if(label = 'unreadable', 0, score) as numerator
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
    union all by name
    select * from formats
    union all by name
    select * from closeness
    union all by name
    select * from critique
    union all by name
    select * from points

),

units as (

    select
        *,
        if(numerator is null, null, 1) as denominator
    from every_metric

)

select * from units
