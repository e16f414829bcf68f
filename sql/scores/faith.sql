-- One row per release, model, judge, metric and unit that it is a mean over: the unit's score, null where it is unscored.
--
-- accuracy    share of answers that are found correct; a unit is a case. Compared in scenarios and units: on filings of ours a
--             mask type says what the scenario says.
with faith as (

    select
        judged_cases.suite,
        judged_cases.release,
        judged_cases.model,
        judged_cases.judge,
        'accuracy' as metric,
        judged_cases.case_id as unit_id,
        judged_cases.qa_pair_id,
        'scenario=' || pairs.traits['scenario'] as cut,
        'unit=' || pairs.traits['unit'] as other_cut,
        judged_cases.group_number,
        judged_cases.compliance as score
    from staging.judged_cases as judged_cases
    inner join staging.pairs as pairs using (release, suite, qa_pair_id)
    where judged_cases.suite = 'faith'

)

select * from faith
