-- One row per release, model, judge, task, placement, length and class of reply: how many replies are of the class, with one example.
--
-- ids          a list of IDs
-- empty        an empty list
-- counting     numbers in sequence; repeating, the same ones again: the degenerate replies of the paper
-- cut          a list that ran into the limit of tokens
-- unreadable   no list, such as a refusal: it counts as wrong
-- yes, no      what a reply says of a single article
with replies as (

    select
        release,
        model,
        judge,
        task,
        variant as placement,
        length,
        coalesce(details ->> 'reply', details ->> 'said', 'unreadable') as reply,
        (details ->> 'kind') != 'json' as is_invalid,
        case_id
    from longcontext.replies
    where unscored_reason is null

),

reply_classes as (

    select
        release,
        model,
        judge,
        task,
        placement,
        length,
        reply,
        count(*) as n,
        count(*) filter (where is_invalid) as n_invalid,
        min(case_id) as example_case_id,
        count(*) / sum(count(*)) over (partition by release, model, judge, task, placement, length) as share
    from replies
    group by release, model, judge, task, placement, length, reply

)

select * from reply_classes
order by release, model, judge, task, placement, length, n desc, reply
