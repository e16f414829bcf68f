-- One row per release, model, level of TableQuest and class of reply: how many replies are of the class, with one example.
--
-- answer       a JSON object with an answer; a nested one counts as text
-- empty        nothing, or an object whose answer is empty
-- no answer    an object without an answer: all its values count
-- no JSON      a text without a readable object: all of it counts
with replies as (

    select
        release,
        model,
        task as level,
        details ->> 'reply' as reply,
        case_id,
        details ->> 'answer' as answer
    from staging.judged_cases
    where suite = 'tablequest' and judge = 'reference'

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
