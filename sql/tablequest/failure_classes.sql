-- One row per release, model, judge, trait of the pairs of TableQuest, its value and class of failure: in how many replies the judge saw it.
--
-- Failures are those that a critic names, several of a reply, and how a wrong figure differs by the rule.
with judged as (

    select
        judged_cases.release,
        judged_cases.model,
        judged_cases.judge,
        judged_cases.case_id,
        unnest(['task', 'operation', 'scale']) as slice_by,
        coalesce(if(slice_by = 'task', pairs.task, pairs.traits[slice_by]), 'unknown') as slice_value,
        case
            when judged_cases.judge != 'reference' then from_json(judged_cases.details -> 'failures', '["varchar"]')
            when judged_cases.label != 'correct' then [judgements.rationale]
        end as failures
    from staging.judged_cases as judged_cases
    inner join raw.qa_pairs as pairs using (release, suite, qa_pair_id)
    inner join staging.judgements as judgements using (release, suite, judgement_id)
    where
        judged_cases.suite = 'tablequest'
        and (judged_cases.judge = 'reference' or judged_cases.judge like 'critique=%')
        and (judged_cases.label is not null or judged_cases.score is not null)

),

seen as (

    select
        * exclude (failures),
        unnest(failures) as failure,
        count(*) over (partition by release, model, judge, slice_by, slice_value) as n_judged
    from judged

),

failure_classes as (

    select
        release,
        model,
        judge,
        slice_by,
        slice_value,
        failure,
        count(*) as n,
        n / any_value(n_judged) as share,
        min(case_id) as example_case_id
    from seen
    group by all

)

select * from failure_classes
order by release, model, judge, list_position(['task', 'operation', 'scale'], slice_by), slice_value, n desc, failure
