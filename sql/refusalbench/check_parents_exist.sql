-- One row per base answer, perturbation, vote or case whose parent is not in the release.
with base_questions as (select release, suite, base_question_id from raw.base_questions),

base_answers as (select release, suite, base_answer_id, base_question_id, request_id from raw.base_answers),

perturbations as (select release, suite, perturbation_id, base_question_id, request_id from raw.perturbations),

verifier_votes as (select release, suite, verifier_vote_id, perturbation_id, request_id from raw.verifier_votes),

orphans as (

    select 'qa_pairs' as table_name, release, suite, qa_pair_id as id, qa_pair_id as parent_id
    from raw.qa_pairs
    anti join base_questions
        on qa_pairs.release = base_questions.release
        and qa_pairs.suite = base_questions.suite
        and qa_pairs.qa_pair_id = base_questions.base_question_id
    where suite = 'refusalbench'

    union all

    select 'base_answers', release, suite, base_answer_id, base_question_id
    from base_answers
    anti join base_questions using (release, suite, base_question_id)

    union all

    -- only the base set is perturbed
    select 'perturbations', release, suite, perturbation_id, base_question_id
    from perturbations
    anti join raw.qa_pairs as qa_pairs
        on perturbations.release = qa_pairs.release
        and perturbations.suite = qa_pairs.suite
        and perturbations.base_question_id = qa_pairs.qa_pair_id

    union all

    select 'verifier_votes', release, suite, verifier_vote_id, perturbation_id
    from verifier_votes
    anti join perturbations using (release, suite, perturbation_id)

    union all

    select 'cases', release, suite, case_id, details ->> '$.perturbation_id'
    from raw.cases as cases
    anti join perturbations
        on cases.release = perturbations.release
        and cases.suite = perturbations.suite
        and cases.details ->> '$.perturbation_id' = perturbations.perturbation_id
    where suite = 'refusalbench'

    union all

    select table_name, release, suite, id, request_id
    from (
        select 'base_answers' as table_name, release, suite, base_answer_id as id, request_id from base_answers
        union all
        select 'perturbations', release, suite, perturbation_id, request_id from perturbations
        union all
        select 'verifier_votes', release, suite, verifier_vote_id, request_id from verifier_votes
    )
    anti join raw.responses using (release, suite, request_id)
    where request_id is not null

)

select * from orphans
