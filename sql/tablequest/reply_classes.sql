-- One row per release, model, level of TableQuest and class of reply: how many replies are of the class, with one example.
--
-- answer       a JSON object with an answer; a nested one counts as text
-- empty        nothing, or an object whose answer is empty
-- no answer    an object without an answer: all its values count
-- no JSON      a text without a readable object: all of it counts
with replies as (

    select
        judged_cases.release,
        judged_cases.model,
        judged_cases.task as level,
        judgements.details ->> 'reply' as reply,
        judged_cases.case_id,
        judgements.details ->> 'answer' as answer
    from staging.judged_cases as judged_cases
    inner join staging.judgements as judgements using (release, suite, judgement_id)
    where judged_cases.suite = 'tablequest' and judged_cases.judge = 'reference'

),

counted as (

    select
        release,
        model,
        level,
        reply,
        count(*) as n,
        min(case_id) as example_case_id,
        left(arg_min(answer, case_id), 60) as example_answer
    from replies
    where reply is not null
    group by all

),

reply_classes as (

    select
        release,
        model,
        level,
        reply,
        n,
        n / sum(n) over (partition by release, model, level) as share,
        example_case_id,
        example_answer
    from counted

)

select * from reply_classes
order by release, model, level, n desc, reply
