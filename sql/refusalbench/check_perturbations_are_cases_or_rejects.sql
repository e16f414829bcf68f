-- One row per perturbation that is not exactly one of cases and a reject, or is a case that verifiers did not pass.
--
-- A case has at least one vote. In a release of unanimous verifiers all votes are PASS, in one of the
-- majority more than half; one that could not be read is not. A published file need not tell the votes.
with perturbations as (

    select
        *,
        if(
            coalesce(getvariable('consensus'), 'unanimous') = 'unanimous', n_passed = n_votes, 2 * n_passed > n_votes
        ) as is_passed
    from refusalbench.perturbations

)

select
    release,
    suite,
    perturbation_id,
    n_votes,
    n_passed,
    n_unread,
    n_cases,
    n_rejects
from perturbations
where
    (n_cases > 0)::integer + n_rejects != 1
    or (
        n_cases > 0
        and request_id is not null
        and (
            unread_reason is not null or n_votes = 0 or not is_passed
        )
    )
