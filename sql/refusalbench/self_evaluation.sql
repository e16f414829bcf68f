-- One row per release, verifier and measure: how it judges its own perturbations and the others', and by how much it prefers its own.
--
-- Perturbations are matched over generators by question, class and intensity; n counts these sets. `share` compares
-- shares passed, as the paper does: a verifier that writes better seems to prefer itself. `excess` takes away what the
-- verifiers say that did not write the perturbation, which needs three of them.
with agreements as (

    select * from reports.agreements
    where suite = 'refusalbench' and relation = 'own work'

),

self_evaluation as (

    select
        release,
        rater as verifier,
        slice_value as measure,
        n,
        any_value(value) filter (where measure = 'own difference') as own,
        any_value(value) filter (where measure = 'others difference') as others,
        any_value(value) filter (where measure = 'self-preference') as preference,
        any_value(low) filter (where measure = 'self-preference') as low,
        any_value(high) filter (where measure = 'self-preference') as high
    from agreements
    group by release, verifier, slice_value, n

)

select * from self_evaluation
order by release, verifier, measure desc
