-- One row per release, model, judge, metric and unit of FAITH: what the unit counts, null where it is unscored.
--
-- accuracy    share of answers that are found correct: `strict` and `official` are the judges; a unit is a case
with judged_cases as (

    select
        *,
        coalesce(case label when 'correct' then 1 when 'wrong' then 0 end, compliance) as numerator
    from staging.judged_cases
    where suite = 'faith'

),

units as (

    select
        judged_cases.suite,
        judged_cases.release,
        judged_cases.model,
        null::varchar as other_model,
        judged_cases.judge,
        'accuracy' as metric,
        judged_cases.case_id as unit_id,
        judged_cases.pair_number,
        judged_cases.group_number,
        null::bigint as donor_group_number,
        judged_cases.variant,
        judged_cases.task,
        judged_cases.is_answerable,
        pairs.traits,
        judged_cases.numerator,
        if(judged_cases.numerator is null, null, 1) as denominator,
        [judged_cases.case_id] as case_ids
    from judged_cases
    inner join staging.pairs as pairs using (release, suite, qa_pair_id)

)

select * from units
