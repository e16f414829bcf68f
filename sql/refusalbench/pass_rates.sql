-- One row per release, setting, generator and verifier (or `all`): the share of perturbations that it passes.
--
-- n has the readable votes on all readable perturbations, n_matched those on perturbations that every generator has of
-- the same question and lever: compare generators by matched_pass_rate, the paper's matrix of self- and cross-evaluation.
with votes as (

    select
        release,
        setting,
        generator,
        votes.verifier,
        is_matched,
        votes.passes
    from raw.verifier_votes as votes
    inner join refusalbench.perturbations as perturbations using (release, suite, perturbation_id)

),

pass_rates as (

    select
        release,
        setting,
        coalesce(generator, 'all') as generator,
        coalesce(verifier, 'all') as verifier,
        count(passes) as n,
        count(*) - n as n_unread,
        count(*) filter (where passes) as n_passed,
        n_passed / nullif(n, 0) as pass_rate,
        count(passes) filter (where is_matched) as n_matched,
        count(*) filter (where passes and is_matched) / nullif(n_matched, 0) as matched_pass_rate
    from votes
    group by
        release,
        setting,
        cube (generator, verifier)

)

select * from pass_rates
order by
    release, setting, generator != 'all', generator, verifier != 'all', verifier
