-- One row per judged answer: what the case expects, what the answer is, and which of six responses that makes it.
--
-- An attempt at an answerable case is correct by quality 4 or 5, or by RAF of ten passages (paper 003, appendix D).
-- A reply that is empty or unreadable counts as a failed attempt: wrong where an answer is expected, else a missed refusal.
-- What models do is counted of cases asked plainly, if there are any, and of those asked for confidence if not.
with cases as (

    select
        release,
        suite,
        case_id,
        traits,
        traits['setting'] as setting,
        traits['perturbation_class'] as perturbation_class,
        traits['intensity'] as intensity,
        traits['lever'] as lever,
        traits['generator'] as generator,
        traits['prompt'] as prompt,
        details ->> '$.expected' as expected,
        details ->> '$.perturbation_id' as perturbation_id,
        prompt = 'plain' or bool_and(prompt = 'confidence') over (partition by release) as counts_as_behavior
    from raw.cases
    where suite = 'refusalbench'

),

read as (

    select
        judged_cases.* exclude (details),
        cases.* exclude (release, suite, case_id),
        judged_cases.label is not distinct from 'unreadable' as is_unreadable,
        case when judged_cases.unscored_reason is null then if(is_unreadable, 'answer_attempt', judged_cases.label) end
            as predicted,
        predicted != 'answer_attempt' as is_refusal,
        (judged_cases.details ->> 'quality')::integer as quality,
        (judged_cases.details ->> 'eligibility')::double as eligibility,
        (judged_cases.details ->> 'factuality_all')::double as factuality_all,
        (judged_cases.details ->> 'raf')::double as raf,
        lower(judged_cases.details ->> 'confidence') as confidence,
        case
            when is_refusal or is_unreadable then 0
            -- one passage has a quality, ten have RAF
            else coalesce(raf, (quality >= 4)::integer)
        end as answer_score,
        if(judged_cases.is_answerable, answer_score, (predicted = cases.expected)::integer) as score_of_case
    from staging.judged_cases as judged_cases
    inner join cases using (release, suite, case_id)

),

answers as (

    select
        *,
        case
            when is_answerable and is_refusal then 'false refusal'
            when is_answerable and answer_score = 1 then 'correct answer'
            when is_answerable and answer_score < 1 then 'wrong answer'
            when is_answerable then null
            when predicted = expected then 'right refusal'
            when is_refusal then 'wrong refusal'
            when not is_refusal then 'missed refusal'
        end as response
    from read

)

select * from answers
