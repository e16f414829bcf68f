-- One row per perturbation of RefusalBench: what the verifiers say of it, and what became of it.
--
-- is_matched says whether every generator of the setting has a readable perturbation of the same question and lever:
-- generators and verifiers are compared on these, whatever the votes (paper 003, section 4.2).
with pairs as (

    select
        release,
        suite,
        qa_pair_id as base_question_id,
        group_number
    from staging.pairs

),

votes as (

    select
        release,
        suite,
        perturbation_id,
        count(*) as n_votes,
        count(*) filter (where passes) as n_passed,
        count(*) filter (where passes is null) as n_unread
    from raw.verifier_votes
    group by all

),

cases as (

    select
        release,
        suite,
        details ->> '$.perturbation_id' as perturbation_id,
        count(*) as n_cases
    from raw.cases
    where suite = 'refusalbench'
    group by all

),

rejects as (

    select
        release,
        suite,
        parent_id as perturbation_id,
        any_value(reason) as reject_reason,
        count(*) as n_rejects
    from raw.rejects
    where suite = 'refusalbench' and stage = 'cases'
    group by all

),

perturbations as (

    select
        release,
        suite,
        perturbation_id,
        base_question_id,
        group_number,
        request_id,
        generator,
        case
            when request_id is null then 'read from a file'
            when engine = 'extractive' then 'by rules, unchecked'
            else 'by a model'
        end as made,
        setting,
        perturbation_class,
        intensity,
        lever,
        unread_reason,
        unread_reason is null
        and count(distinct if(unread_reason is null, generator, null)) over (
            partition by release, suite, base_question_id, perturbation_class, intensity, lever
        ) = count(distinct generator) over (partition by release, suite, setting)
            as is_matched,
        coalesce(n_votes, 0) as n_votes,
        coalesce(n_passed, 0) as n_passed,
        coalesce(n_unread, 0) as n_unread,
        coalesce(n_cases, 0) as n_cases,
        coalesce(n_rejects, 0) as n_rejects,
        reject_reason
    from raw.perturbations as perturbations
    left join pairs using (release, suite, base_question_id)
    left join raw.responses as responses using (release, suite, request_id)
    left join votes using (release, suite, perturbation_id)
    left join cases using (release, suite, perturbation_id)
    left join rejects using (release, suite, perturbation_id)

)

select * from perturbations
