-- One row per verifier, measure and matched question, class and intensity: what it says of its own perturbation, and of the others'.
--
-- share     whether it passes it, as 0 or 1: the paper's self- and cross-evaluation
-- excess    the same less the mean of the verifiers that are not its writer either: a better writer has no more of it
with votes as (

    select
        perturbations.release,
        perturbations.suite,
        perturbations.group_number,
        concat_ws(' ', base_question_id, perturbation_class, intensity) as unit,
        generator,
        perturbation_id,
        votes.verifier as rater,
        votes.passes::integer as passes
    from raw.verifier_votes as votes
    inner join refusalbench.perturbations as perturbations using (release, suite, perturbation_id)
    where is_matched and votes.passes is not null

),

-- what others than its writer say of a perturbation
others as (

    select
        votes.release,
        votes.suite,
        votes.perturbation_id,
        votes.rater,
        avg(peers.passes) as of_others
    from votes
    inner join votes as peers using (release, suite, perturbation_id)
    where peers.rater not in (votes.rater, votes.generator)
    group by all

),

measured as (

    select
        votes.*,
        unnest(['share', 'excess']) as measure,
        unnest([passes, passes - of_others]) as value
    from votes
    left join others using (release, suite, perturbation_id, rater)

),

own_work as (

    select
        release,
        suite,
        rater,
        measure,
        unit,
        group_number,
        avg(value) filter (where generator = rater) as own,
        avg(value) filter (where generator != rater) as others
    from measured
    group by all

)

select * from own_work
where own is not null and others is not null
