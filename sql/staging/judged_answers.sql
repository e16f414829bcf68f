-- One row per judgement of one answer: whether the answer is right, and whether it counts in a metric.
--
-- A case may count in several metrics: without a label that says so, the answer is right where the metric `right` is, or
-- else where all are. value is 1 for a right answer and 0 for a wrong one, and lies between if its judge decides in parts.
-- What people reject, or a judge does not decide, is not counted.
with judgements as (

    select
        release,
        suite,
        model,
        judge,
        judgement_id,
        request_id,
        case_id,
        rating,
        label,
        score,
        unscored_reason
    from staging.judgements
    where other_request_id is null

),

answers as (

    select
        release,
        suite,
        model,
        judge,
        unit_id as case_id,
        if(
            bool_or(metric = 'right'),
            min(numerator / denominator) filter (where metric = 'right'),
            min(numerator / denominator)
        ) as lowest
    from suites.units
    where other_model is null and case_ids[1] = unit_id and len(case_ids) = 1
    group by all

),

judged_answers as (

    select
        judgements.*,
        case
            when judgements.label = 'correct' or answers.lowest = 1 then true
            when judgements.label in ('wrong', 'unreadable') or answers.lowest = 0 then false
        end as is_compliant,
        coalesce(is_compliant::integer, answers.lowest) as value,
        answers.case_id is not null as is_counted
    from judgements
    left join answers using (release, suite, model, judge, case_id)

)

select * from judged_answers
