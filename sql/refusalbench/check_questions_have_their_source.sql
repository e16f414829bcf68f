-- One row per pair of RefusalBench without its base question, and per case without its perturbation.
select 'qa_pairs' as table_name, pairs.release, pairs.qa_pair_id as id, pairs.qa_pair_id as parent_id
from raw.qa_pairs as pairs
anti join raw.base_questions as base_questions
    on pairs.release = base_questions.release
    and pairs.qa_pair_id = base_questions.base_question_id
where pairs.suite = 'refusalbench'

union all

select 'cases', cases.release, cases.case_id, cases.details ->> '$.perturbation_id'
from raw.cases as cases
anti join raw.perturbations as perturbations
    on cases.release = perturbations.release
    and cases.details ->> '$.perturbation_id' = perturbations.perturbation_id
where cases.suite = 'refusalbench'
