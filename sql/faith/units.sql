-- One row per release, model, judge and case of FAITH: what it counts, null where it is unscored.
--
-- accuracy    share of answers that are found correct: `strict` and `official` are the judges
select
    release,
    case_id,
    model,
    judge,
    'accuracy' as metric,
    coalesce(case label when 'correct' then 1 when 'wrong' then 0 end, compliance) as numerator,
    if(numerator is null, null, 1) as denominator
from staging.judged_cases
where suite = 'faith'
