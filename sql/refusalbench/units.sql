-- One row per release, model, judge, metric and case of RefusalBench: what it counts, null where it is unscored.
--
-- answer_accuracy        share of answerable cases that are answered correctly; of ten passages, their RAF
-- refusal_accuracy       share of unanswerable cases that are refused with the right code
-- false_refusal          share of answerable cases that are refused
-- missed_refusal         share of unanswerable cases that are answered
-- refusal                share of all cases that are refused
-- correct_refusal        share of unanswerable cases that are refused with any code: the recall of detection
-- detection_precision    share of refusals that are of unanswerable cases
-- detection_f1           F1 of refusing
-- category_accuracy      share of refusals of unanswerable cases that have the right code
-- eligibility            share of attempts at answerable cases of ten passages that answer what is asked
-- unadjusted_factuality  share of such attempts that the passages support
-- raf                    share of such attempts that answer what is asked by relevant passages only
-- highest_confidence     share of cases asked for confidence that are at the highest level
-- confidence_LEVEL       share of cases at a level of confidence that are right
-- answer_confidence_LEVEL, refusal_confidence_LEVEL    the same of attempts, and of refusals
--
-- A case that a ratio leaves out has the unit 0 of 0, as metrics made of several need the same cases.
with answers as (

    select
        *,
        coalesce(is_refusal and is_answerable, false)::integer as false_refusal,
        coalesce(is_refusal and not is_answerable, false)::integer as true_refusal,
        coalesce(not is_refusal and not is_answerable, false)::integer as missed_refusal,
        not is_refusal and is_answerable and setting = 'multi' as is_judged_attempt
    from refusalbench.answers

),

-- only: whether it is about answerable cases alone, or about unanswerable ones; null for both
metrics (metric, only) as (

    values
    ('answer_accuracy', true),
    ('refusal_accuracy', false),
    ('false_refusal', true),
    ('missed_refusal', false),
    ('refusal', null),
    ('correct_refusal', false),
    ('detection_precision', null),
    ('detection_f1', null),
    ('category_accuracy', false),
    ('eligibility', true),
    ('unadjusted_factuality', true),
    ('raf', true)

),

of_behavior as (

    select
        metric,
        answers.*,
        case metric
            when 'answer_accuracy' then answer_score
            when 'refusal_accuracy' then (predicted = expected)::integer
            when 'false_refusal' then false_refusal
            when 'missed_refusal' then missed_refusal
            when 'refusal' then is_refusal::integer
            when 'correct_refusal' then true_refusal
            when 'detection_precision' then true_refusal
            when 'detection_f1' then 2 * true_refusal
            when 'category_accuracy' then (predicted = expected)::integer
            when 'eligibility' then if(is_judged_attempt, eligibility, 0)
            when 'unadjusted_factuality' then if(is_judged_attempt, factuality_all, 0)
            when 'raf' then if(is_judged_attempt, raf, 0)
        end as numerator,
        case metric
            when 'detection_precision' then true_refusal + false_refusal
            when 'detection_f1' then 2 * true_refusal + false_refusal + missed_refusal
            when 'category_accuracy' then true_refusal
            when 'eligibility' then is_judged_attempt::integer
            when 'unadjusted_factuality' then is_judged_attempt::integer
            when 'raf' then is_judged_attempt::integer
            else 1
        end as denominator
    from answers
    inner join metrics on metrics.only is null or answers.is_answerable = metrics.only
    where
        answers.counts_as_behavior
        and (metric not in ('eligibility', 'unadjusted_factuality', 'raf') or answers.setting = 'multi')

),

levels (level) as (

    values ('very_confident'), ('confident'), ('somewhat_confident'), ('uncertain'), ('very_uncertain')

),

of_confidence as (

    select
        kind || 'confidence_' || level as metric,
        answers.*,
        if(denominator = 1, score_of_case, 0) as numerator,
        (confidence = level and (is_of_kind is null or is_refusal = is_of_kind))::integer as denominator
    from answers
    cross join levels
    cross join (values ('', null), ('answer_', false), ('refusal_', true)) as kinds (kind, is_of_kind)
    where prompt = 'confidence'

    union all by name

    select
        'highest_confidence' as metric,
        answers.*,
        (confidence = 'very_confident')::integer as numerator,
        1 as denominator
    from answers
    where prompt = 'confidence'

),

counted as (

    select * from of_behavior
    union all by name
    select * from of_confidence

),

units as (

    select
        suite,
        release,
        model,
        null::varchar as other_model,
        judge,
        metric,
        case_id as unit_id,
        pair_number,
        group_number,
        donor_group_number,
        variant,
        task,
        is_answerable,
        traits,
        if(denominator is null or predicted is null, null, numerator) as numerator,
        if(numerator is null or predicted is null, null, denominator) as denominator,
        [case_id] as case_ids
    from counted

)

select * from units
