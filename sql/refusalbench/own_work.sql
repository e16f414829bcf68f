-- One row per verifier and matched question and lever: the share that it passes of its own perturbations, and of the others'.
with votes as (

    select
        perturbations.release,
        perturbations.suite,
        votes.verifier as rater,
        'share' as measure,
        concat_ws(' ', base_question_id, perturbation_class, intensity, lever) as unit,
        perturbations.group_number,
        avg(votes.passes::integer) filter (where generator = votes.verifier) as own,
        avg(votes.passes::integer) filter (where generator != votes.verifier) as others
    from raw.verifier_votes as votes
    inner join refusalbench.perturbations as perturbations using (release, suite, perturbation_id)
    where is_matched and votes.passes is not null
    group by all

)

select * from votes
where own is not null and others is not null
