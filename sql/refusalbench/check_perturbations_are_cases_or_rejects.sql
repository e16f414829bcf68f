-- One row per perturbation that is not exactly one of cases and a reject, or is a case that verifiers did not pass.
--
-- A case has at least one vote, and all are PASS; one that could not be read is not. A published file need not tell the
-- votes.
select
    release,
    suite,
    perturbation_id,
    n_votes,
    n_passed,
    n_unread,
    n_cases,
    n_rejects
from refusalbench.perturbations
where
    (n_cases > 0)::integer + n_rejects != 1
    or (
        n_cases > 0
        and request_id is not null
        and (
            unread_reason is not null or n_votes = 0 or n_passed != n_votes
        )
    )
