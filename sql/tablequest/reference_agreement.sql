-- One row per release, model, accuracy judge and level of TableQuest: how far the rule and the judge agree on figures.
--
-- n               answers that both judged: the reference is a figure
-- n_rule_only     only the rule calls them correct, and n_judge_only, only the judge
with judged as (

    select
        release,
        model,
        judge,
        task as level,
        case_id,
        label = 'correct' as is_correct
    from staging.judged_cases
    where suite = 'tablequest' and label in ('correct', 'wrong')

),

reference_agreement as (

    select
        judged.release,
        judged.model,
        judged.judge,
        judged.level,
        count(*) as n,
        avg((judged.is_correct = rules.is_correct)::integer) as agreement,
        count(*) filter (where rules.is_correct and not judged.is_correct) as n_rule_only,
        count(*) filter (where judged.is_correct and not rules.is_correct) as n_judge_only,
        min(judged.case_id) filter (where judged.is_correct != rules.is_correct) as example_case_id
    from judged
    inner join judged as rules using (release, model, case_id)
    where judged.judge like 'accuracy=%' and rules.judge = 'reference'
    group by all

)

select * from reference_agreement
order by release, judge, model, level
