-- One row per release, setting, class, intensity and kind of proof (`none` without one, `refuted` with a fault): votes on them.
--
-- If generators and verifiers are rules alone, a pass says nothing: rules write only what they prove.
with perturbations as (

    select * replace (if(len(faults) > 0, 'refuted', proof) as proof)
    from refusalbench.perturbations
    where unread_reason is null

),

proofs as (

    select
        release,
        setting,
        perturbation_class,
        intensity,
        proof,
        count(*) as n,
        n / sum(count(*)) over (partition by release, setting, perturbation_class, intensity) as share,
        count(*) filter (where n_cases > 0) as n_drawn,
        count(*) filter (where len(faults) > 0) as n_faulty,
        sum(n_votes - perturbations.n_unread)::bigint as n_votes,
        sum(n_passed)::bigint as n_passed,
        sum(n_passed) / nullif(sum(n_votes - perturbations.n_unread), 0) as pass_rate
    from perturbations
    group by release, setting, perturbation_class, intensity, proof

)

select * from proofs
order by
    release, setting, perturbation_class, array_position(['low', 'medium', 'high'], intensity), proof
