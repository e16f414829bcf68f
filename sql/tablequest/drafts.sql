-- One row per release, level and outcome of its rounds: how many drafts were kept or rejected for a reason, and how many of them are proved.
--
-- outcome       `kept`, `never asked` (the warmup), or the reason of a reject
-- share         of the level's rounds
-- n_numbers     of them with a figure for an answer; null unless kept
-- proved_share  of those figures; null unless kept
with unreadable as (

    select
        release,
        suite,
        regexp_extract(reason, 'the (\w+) round', 1) as level,
        reason as outcome,
        false as is_number,
        false as is_proved
    from raw.rejects
    where suite = 'tablequest' and stage = 'drafts'

),

drafted as (

    select
        drafts.release,
        drafts.suite,
        drafts.level,
        case
            when drafts.level = 'warmup' then 'never asked'
            when rejects.reason is not null then rejects.reason
            else 'kept'
        end as outcome,
        coalesce(pairs.traits['answer'] = 'number', false) as is_number,
        coalesce(drafts.proved, false) as is_proved
    from raw.drafts as drafts
    left join raw.rejects as rejects
        on drafts.release = rejects.release
        and drafts.suite = rejects.suite
        and drafts.draft_id = rejects.parent_id
    left join raw.qa_pairs as pairs
        on drafts.release = pairs.release
        and drafts.suite = pairs.suite
        and drafts.qa_pair_id = pairs.qa_pair_id

),

rounds as (

    select * from unreadable
    union all
    select * from drafted

),

counted as (

    select
        release,
        level,
        outcome,
        count(*) as n,
        count(*) / sum(count(*)) over (partition by release, level) as share,
        count(*) filter (where is_proved) as n_proved,
        if(outcome = 'kept', count(*) filter (where is_number), null) as n_numbers,
        count(*) filter (where is_number and is_proved) / nullif(n_numbers, 0) as proved_share
    from rounds
    group by release, level, outcome

)

select * from counted
order by release, list_position(['warmup', 'easy', 'medium', 'hard'], level), outcome != 'kept', n desc, outcome
