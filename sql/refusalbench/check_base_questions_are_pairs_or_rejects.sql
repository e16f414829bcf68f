-- One row per base question that is not exactly one of a pair and a reject, or whose pair the panel got wrong, and per pair of none.
with pairs as (

    select
        release,
        suite,
        qa_pair_id as base_question_id,
        count(*) as n_pairs
    from raw.qa_pairs
    where suite = 'refusalbench'
    group by all

),

rejects as (

    select
        release,
        suite,
        parent_id as base_question_id,
        count(*) as n_rejects
    from raw.rejects
    where suite = 'refusalbench' and stage = 'base'
    group by all

),

panel as (

    select
        release,
        suite,
        base_question_id,
        count(*) filter (where is_right is distinct from true) as n_wrong
    from raw.base_answers
    group by all

),

counted as (

    select
        release,
        suite,
        base_question_id,
        coalesce(n_pairs, 0) as n_pairs,
        coalesce(n_rejects, 0) as n_rejects,
        coalesce(n_wrong, 0) as n_wrong,
        base_questions.source is not null as has_question
    from raw.base_questions as base_questions
    full join pairs using (release, suite, base_question_id)
    left join rejects using (release, suite, base_question_id)
    left join panel using (release, suite, base_question_id)

)

select * from counted
where n_pairs + n_rejects != 1 or (n_pairs = 1 and n_wrong > 0) or not has_question
