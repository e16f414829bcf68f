-- One row per case of RefusalBench that a rule wrote and no rule proves.
select
    cases.release,
    cases.suite,
    cases.case_id,
    perturbations.generator,
    perturbations.perturbation_class,
    perturbations.intensity
from raw.cases as cases
inner join raw.perturbations as perturbations
    on cases.release = perturbations.release
    and cases.suite = perturbations.suite
    and cases.details ->> '$.perturbation_id' = perturbations.perturbation_id
inner join raw.responses as responses
    on perturbations.release = responses.release
    and perturbations.suite = responses.suite
    and perturbations.request_id = responses.request_id
where responses.engine = 'extractive' and perturbations.proof is null
