-- One row per release and two verifiers: on how many perturbations they agree, beyond chance.
--
-- n perturbations have a readable vote of both. kappa is Cohen's; it is null where one of them always says the same.
with varied as (

    select
        release,
        verifier
    from raw.verifier_votes
    where suite = 'refusalbench'
    group by all
    having count(distinct passes) > 1

),

agreements as (

    select * from reports.agreements
    where suite = 'refusalbench' and relation = 'raters' and (
        measure != 'kappa'
        or ((release, rater) in (from varied) and (release, other_rater) in (from varied))
    )

),

verifier_agreement as (

    select
        release,
        rater as verifier,
        other_rater as other_verifier,
        n,
        any_value(value) filter (where measure = 'agreement') as agreement,
        any_value(low) filter (where measure = 'agreement') as agreement_low,
        any_value(high) filter (where measure = 'agreement') as agreement_high,
        any_value(value) filter (where measure = 'kappa') as kappa,
        any_value(low) filter (where measure = 'kappa') as kappa_low,
        any_value(high) filter (where measure = 'kappa') as kappa_high
    from agreements
    group by release, verifier, other_verifier, n

)

select * from verifier_agreement
order by release, verifier, other_verifier
