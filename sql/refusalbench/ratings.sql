-- One row per perturbation of RefusalBench and verifier, or the rule `proof`: whether it passes; null where it is unread.
--
-- The rule passes what it proves, fails what it finds a fault in, and has nothing to say of the rest.
with perturbations as (

    select * from refusalbench.perturbations
    where unread_reason is null

),

votes as (

    select
        perturbations.release,
        perturbations.suite,
        votes.verifier as rater,
        perturbations.perturbation_id as unit,
        perturbations.group_number,
        case when votes.passes then 'pass' when not votes.passes then 'fail' end as label
    from raw.verifier_votes as votes
    inner join perturbations using (release, suite, perturbation_id)

),

ratings as (

    select * from votes

    union all

    select
        release,
        suite,
        'proof' as rater,
        perturbation_id,
        group_number,
        if(len(faults) > 0, 'fail', 'pass')
    from perturbations
    where len(faults) > 0 or proof != 'none'

)

select * from ratings
