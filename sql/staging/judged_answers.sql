-- One row per judgement of one answer: whether the answer is right, and how far.
--
-- It is right as its label or rating says, or its score; where a suite has the metric `right`, as its unit says.
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
        numerator / denominator as share_right
    from suites.units
    where metric = 'right'

),

judged_answers as (

    select
        judgements.*,
        case
            when judgements.label = 'correct' then 1
            when judgements.label in ('wrong', 'unreadable') then 0
            else coalesce(answers.share_right, macros.is_compliant(judgements.rating)::integer, judgements.score)
        end as value,
        case value when 1 then true when 0 then false end as is_compliant
    from judgements
    left join answers using (release, suite, model, judge, case_id)

)

select * from judged_answers
