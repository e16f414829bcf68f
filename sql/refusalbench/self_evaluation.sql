-- One row per release and verifier: how many of its own perturbations it passes, and of the others', and by how much it prefers its own.
--
-- Perturbations are matched over generators by question and lever; n counts these sets. A verifier that writes better
-- seems to prefer itself.
with self_evaluation as (

    select
        release,
        rater as verifier,
        n,
        any_value(value) filter (where measure = 'own difference') as own,
        any_value(value) filter (where measure = 'others difference') as others,
        any_value(value) filter (where measure = 'self-preference') as preference,
        any_value(low) filter (where measure = 'self-preference') as low,
        any_value(high) filter (where measure = 'self-preference') as high
    from reports.agreements
    where suite = 'refusalbench' and relation = 'own work'
    group by release, verifier, n

)

select * from self_evaluation
order by release, verifier
