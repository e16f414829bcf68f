-- One row per draft of a question that is not exactly one of a pair and a reject, or per warm-up that is either.
with rejects as (

    select
        release,
        suite,
        parent_id as draft_id,
        count(*) as n_rejects
    from raw.rejects
    where stage = 'qa_pairs'
    group by all

),

pairs as (

    select
        release,
        suite,
        qa_pair_id,
        traits['evidence'] as evidence
    from raw.qa_pairs

),

counted as (

    select
        drafts.release,
        drafts.suite,
        drafts.draft_id,
        drafts.level,
        drafts.qa_pair_id,
        (pairs.qa_pair_id is not null)::integer as n_pairs,
        coalesce(rejects.n_rejects, 0) as n_rejects,
        pairs.evidence = 'proved' and drafts.proved is distinct from true as is_unproved
    from raw.drafts as drafts
    left join pairs using (release, suite, qa_pair_id)
    left join rejects using (release, suite, draft_id)

)

select * from counted
where n_pairs + n_rejects != if(level = 'warmup', 0, 1)
    or (level = 'warmup') != (qa_pair_id is null)
    or is_unproved
