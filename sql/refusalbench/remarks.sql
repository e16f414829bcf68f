-- One row per release and setting whose base set is shorter than --base-questions: a sentence, and the query that lists why.
with built as (

    select release
    from raw.perturbations
    where suite = 'refusalbench'
    group by release
    having count(request_id) > 0  -- not read from a published file

),

panel as (

    select
        release,
        base_question_id,
        bool_and(is_right is not distinct from true) as is_right
    from raw.base_answers
    where suite = 'refusalbench'
    group by all

),

settings as (

    select
        questions.release,
        questions.setting,
        count(*) as n_candidates,
        count(pairs.qa_pair_id) as n_base,
        count(panel.base_question_id) as n_asked,
        count(*) filter (where panel.is_right) as n_right
    from raw.base_questions as questions
    inner join built on questions.release = built.release
    left join raw.qa_pairs as pairs
        on
            questions.release = pairs.release
            and questions.base_question_id = pairs.qa_pair_id
            and pairs.suite = 'refusalbench'
    left join panel
        on questions.release = panel.release and questions.base_question_id = panel.base_question_id
    group by all

),

remarks as (

    select
        release,
        setting,
        printf(
            'The base set of %s has %d questions, not the %d asked for: of %d candidates%s.',
            if(setting = 'single', 'one passage', 'ten passages'),
            n_base,
            coalesce(getvariable('base_questions'), 100)::integer,
            n_candidates,
            if(n_asked = 0, '', printf(', the panel was asked %d and got %d right', n_asked, n_right))
        ) as says,
        'from raw.rejects where suite = ''refusalbench'' and stage in (''questions'', ''base'')' as query
    from settings
    where n_base < coalesce(getvariable('base_questions'), 100)::integer

)

select * from remarks
order by release, setting desc
