-- One row per release, judge, model, setting (or `all`) and expected code: what the model gave in place of it.
--
-- answered counts attempts, and the other columns codes; n is their sum, right_share the share of the expected one, of an
-- attempt where an answer is expected.
with answers as (

    select
        * exclude (setting),
        unnest(['all', setting]) as setting
    from refusalbench.answers
    where counts_as_behavior and predicted is not null

),

confusion as (

    select
        release,
        judge,
        model,
        setting,
        expected,
        count(*) as n,
        count(*) filter (where predicted = 'answer_attempt') as answered,
        count(*) filter (where predicted = 'REFUSE_AMBIGUOUS_QUERY') as ambiguous,
        count(*) filter (where predicted = 'REFUSE_CONTRADICTORY_CONTEXT') as contradictory,
        count(*) filter (where predicted = 'REFUSE_INFO_MISSING_IN_CONTEXT') as info_missing,
        count(*) filter (where predicted = 'REFUSE_FALSE_PREMISE_IN_QUERY') as false_premise,
        count(*) filter (where predicted = 'REFUSE_GRANULARITY_MISMATCH') as granularity,
        count(*) filter (where predicted = 'REFUSE_NONFACTUAL_QUERY') as nonfactual,
        n - answered - ambiguous - contradictory - info_missing - false_premise - granularity - nonfactual as other,
        count(*) filter (where predicted = if(is_answerable, 'answer_attempt', expected)) / n as right_share
    from answers
    group by release, judge, model, setting, expected

)

select * from confusion
order by release, judge, model, setting, expected
