-- One row per judgement of one answer: whether the answer is right, and how far.
--
-- It is right as its label, rating or score says. Of other labels, it is where the metric `right` is, or else where all of
-- its case's metrics are.
-- value is 1 for a right answer and 0 for a wrong one, and lies between if its judge decides in parts.
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
        case_id,
        if(
            bool_or(metric = 'right'),
            min(numerator / denominator) filter (where metric = 'right'),
            min(numerator / denominator)
        ) as lowest
    from suites.units
    where other_model is null
    group by all

),

judged_answers as (

    select
        judgements.*,
        case
            when judgements.unscored_reason is not null then null
            when judgements.label = 'correct' then 1
            when judgements.label in ('wrong', 'unreadable') then 0
            else coalesce(macros.is_compliant(judgements.rating)::integer, judgements.score, answers.lowest)
        end as value,
        case value when 1 then true when 0 then false end as is_compliant
    from judgements
    left join answers using (release, suite, model, judge, case_id)

)

select * from judged_answers
