-- One row per release, model, judge, task, kind of hard negative and reason: how many a model was shown, and took for needles.
--
-- f1_without is F1 if no ID of these negatives had been listed: they cost f1_without - f1. Both are of the records that
-- have such negatives. Rows of all reasons of a kind, and of all kinds, have `all` there.
with replies as (

    select * from longcontext.replies
    where not is_single and unscored_reason is null

),

negatives as (

    select
        release,
        case_id,
        coalesce(kind, 'all') as kind,
        coalesce(reason, 'all') as reason,
        list(number) as numbers
    from raw.placed_articles
    where suite = 'longcontext' and kind != 'needle'
    group by grouping sets ((release, case_id, kind, reason), (release, case_id, kind), (release, case_id))

),

shown as (

    select
        replies.release,
        replies.model,
        replies.judge,
        replies.task,
        replies.is_answerable,
        replies.n_right,
        replies.n_listed as n_ids,
        len(replies.needles) as n_needles,
        negatives.kind,
        negatives.reason,
        len(negatives.numbers) as n_shown,
        len(list_intersect(replies.ids, negatives.numbers)) as n_taken
    from replies
    inner join negatives using (release, case_id)

),

negatives_taken as (

    select
        release,
        model,
        judge,
        task,
        kind,
        reason,
        count(*) as n_replies,
        sum(n_shown)::bigint as n_shown,
        sum(n_taken)::bigint as n_taken,
        sum(n_taken) / sum(n_shown) as taken_share,
        2 * sum(n_right) filter (where is_answerable)
        / sum(n_ids + n_needles) filter (where is_answerable) as f1,
        2 * sum(n_right) filter (where is_answerable)
        / sum(n_ids - n_taken + n_needles) filter (where is_answerable) as f1_without
    from shown
    group by all

)

select * from negatives_taken
order by release, model, judge, task, kind = 'all', kind, reason = 'all', reason
