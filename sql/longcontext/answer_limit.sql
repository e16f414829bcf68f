-- One row per release, model, judge, length and number of needles: how often the limit of tokens cut the reply, and what recall it cost.
with replies as (

    select
        release,
        model,
        judge,
        length,
        len(needles) as n_needles,
        n_right,
        finish_reason = 'length' as is_cut
    from longcontext.replies
    where not is_single and is_answerable and unscored_reason is null

),

answer_limit as (

    select
        release,
        model,
        judge,
        length,
        n_needles,
        count(*) as n,
        count(*) filter (where is_cut) as n_cut,
        sum(n_right) / sum(n_needles) as recall,
        sum(n_right) filter (where is_cut) / sum(n_needles) filter (where is_cut) as recall_cut,
        sum(n_right) filter (where not is_cut) / sum(n_needles) filter (where not is_cut) as recall_whole
    from replies
    group by all

)

select * from answer_limit
order by release, model, judge, length, n_needles
