-- One row per release and remark on RefusalBench's figures: a sentence, and the query that lists its rows.
--
-- How many perturbations are a demonstration; which base sets are shorter than --base-questions; how many replies are
-- empty.
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

of_base as (

    select
        release,
        if(setting = 'single', 0, 1) as place,
        printf(
            'The base set of %s has %,d questions, not the %,d asked for, from %,d candidates%s.',
            if(setting = 'single', 'one passage', 'ten passages'),
            n_base,
            coalesce(getvariable('base_questions'), 100)::integer,
            n_candidates,
            if(n_asked = 0, '', printf(', the panel was asked %,d and got %,d right', n_asked, n_right))
        ) as says,
        printf(
            'select base_question_id, query, reason, detail from raw.base_questions left join raw.rejects '
            'on base_question_id = parent_id and stage = ''base'' where setting = ''%s''',
            setting
        ) as query
    from settings
    where n_base < coalesce(getvariable('base_questions'), 100)::integer

),

of_silence as (

    select
        release,
        2 as place,
        printf(
            '%,d of %,d answers are empty or unreadable, and count as wrong.',
            count(distinct request_id) filter (where label = 'unreadable'),
            count(distinct request_id)
        ) as says,
        'from staging.judgements where suite = ''refusalbench'' and label = ''unreadable''' as query
    from staging.judgements
    where suite = 'refusalbench'
    group by release
    having count(*) filter (where label = 'unreadable') > 0

),

of_rules as (

    select
        release,
        -1 as place,
        printf(
            'A demonstration: %,d of %,d perturbations are by rules, unchecked.',
            count(*) filter (where made = 'by rules, unchecked'),
            count(*)
        ) as says,
        'from refusalbench.perturbations where made = ''by rules, unchecked''' as query
    from refusalbench.perturbations
    group by release
    having count(*) filter (where made = 'by rules, unchecked') > 0

),

remarks as (

    select * from of_rules
    union all
    select * from of_base
    union all
    select * from of_silence
    union all by name
    select * from macros.filings_without_questions('refusalbench')

)

select
    release,
    says,
    query
from remarks
order by release, place
