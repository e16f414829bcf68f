-- One row per id that two base questions, base answers, perturbations or votes share within a release.
with ids as (

    select 'base_questions' as table_name, release, suite, base_question_id as id from raw.base_questions
    union all
    select 'base_answers', release, suite, base_answer_id from raw.base_answers
    union all
    select 'perturbations', release, suite, perturbation_id from raw.perturbations
    union all
    select 'verifier_votes', release, suite, verifier_vote_id from raw.verifier_votes

)

select *, count(*) as n from ids
group by all
having n > 1
