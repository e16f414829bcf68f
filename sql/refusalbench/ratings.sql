-- One row per perturbation of RefusalBench and verifier: whether it passes; null where it is unread.
select
    perturbations.release,
    perturbations.suite,
    votes.verifier as rater,
    perturbations.perturbation_id as unit,
    perturbations.group_number,
    case when votes.passes then 'pass' when not votes.passes then 'fail' end as label
from raw.verifier_votes as votes
inner join refusalbench.perturbations as perturbations using (release, suite, perturbation_id)
where perturbations.unread_reason is null
