-- One row per release, model, judge, metric and case of RefusalBench: what it counts, null where it is unscored.
--
-- right                  share of cases that are answered correctly or refused with the right code, as they should be
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
-- highest_confidence     share of replies with a level of confidence that have the highest
-- confidence_accuracy    share of such replies that are right
-- confidence_LEVEL       share of replies at a level that are right
-- answer_confidence_LEVEL, refusal_confidence_LEVEL    the same of attempts, and of refusals
--
-- A reply that is empty or unreadable is an attempt that is not right in any of them.
--
-- A case that a ratio leaves out has the unit 0 of 0, as metrics made of several need the same cases. Those of attempts
-- have units of attempts only, so that their number is that of attempts.
with answers as (

    select
        *,
        coalesce(is_refusal and is_answerable, false)::integer as false_refusal,
        coalesce(is_refusal and not is_answerable, false)::integer as true_refusal,
        coalesce(not is_refusal and not is_answerable, false)::integer as missed_refusal
    from refusalbench.answers

),

-- of_answerable: whether it is about answerable cases alone, or about unanswerable ones; null for both
metrics (metric, of_answerable) as (

    values
    ('right', null),
    ('answer_accuracy', true),
    ('refusal_accuracy', false),
    ('false_refusal', true),
    ('missed_refusal', false),
    ('refusal', null),
    ('correct_refusal', false),
    ('detection_precision', null),
    ('detection_f1', null),
    ('category_accuracy', false)

),

of_behavior as (

    select
        answers.*,
        metric,
        case metric
            when 'right' then score_of_case
            when 'answer_accuracy' then answer_score
            when 'refusal_accuracy' then (predicted = expected)::integer
            when 'false_refusal' then false_refusal
            when 'missed_refusal' then missed_refusal
            when 'refusal' then is_refusal::integer
            when 'correct_refusal' then true_refusal
            when 'detection_precision' then true_refusal
            when 'detection_f1' then 2 * true_refusal
            when 'category_accuracy' then (predicted = expected)::integer
        end as numerator,
        case metric
            when 'detection_precision' then true_refusal + false_refusal
            when 'detection_f1' then 2 * true_refusal + false_refusal + missed_refusal
            when 'category_accuracy' then true_refusal
            else 1
        end as denominator
    from answers
    inner join metrics on metrics.of_answerable is null or answers.is_answerable = metrics.of_answerable
    where answers.counts_as_behavior

),

-- an answer that cannot be read may be an attempt
attempts as (

    select
        * exclude (eligibility, raf),
        unnest(['eligibility', 'unadjusted_factuality', 'raf']) as metric,
        unnest([eligibility, factuality_all, raf]) as numerator,
        1 as denominator
    from answers
    where counts_as_behavior and setting = 'multi' and is_answerable and is_refusal is distinct from true

),

-- a rule gives RAF alone
of_attempts as (

    select * replace (if(is_unreadable, 0, numerator) as numerator)
    from attempts
    qualify metric = 'raf' or count(attempts.numerator) over (partition by release, judge, metric) > 0

),

levels (level) as (

    values ('very_confident'), ('confident'), ('somewhat_confident'), ('uncertain'), ('very_uncertain')

),

of_confidence as (

    select
        answers.*,
        kind || 'confidence_' || level as metric,
        (confidence = level and (is_of_kind is null or is_refusal = is_of_kind))::integer as denominator,
        if(denominator = 1, score_of_case, 0) as numerator
    from answers
    cross join levels
    cross join (values ('', null), ('answer_', false), ('refusal_', true)) as kinds (kind, is_of_kind)
    where prompt = 'confidence'

    union all by name

    select
        *,
        unnest(['highest_confidence', 'confidence_accuracy']) as metric,
        unnest([(confidence = 'very_confident')::integer, if(confidence is not null, score_of_case, null)])
            as numerator,
        1 as denominator
    from answers
    where prompt = 'confidence'

),

counted as (

    select * from of_behavior
    union all by name
    select * from of_attempts
    union all by name
    select * from of_confidence

),

units as (

    select
        release,
        case_id,
        model,
        judge,
        metric,
        if(denominator is null or predicted is null, null, numerator) as numerator,
        if(numerator is null or predicted is null, null, denominator) as denominator
    from counted

)

select * from units
