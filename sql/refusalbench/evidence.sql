-- One row per case of RefusalBench, heading and place: the lever of its perturbation, and the votes on it.
with cases as (

    select
        release,
        suite,
        qa_pair_id,
        case_id,
        details ->> '$.perturbation_id' as perturbation_id
    from raw.cases
    where suite = 'refusalbench'

),

made as (

    select
        cases.*,
        perturbations.* exclude (release, suite, perturbation_id)
    from cases
    inner join raw.perturbations as perturbations using (release, suite, perturbation_id)

),

said as (

    select
        release,
        suite,
        qa_pair_id,
        case_id,
        'Lever' as heading,
        1 as place,
        concat(
            lever, ' (', replace(perturbation_class, '_', ' '), ', ', intensity, '), applied by ', generator,
            coalesce(': ' || nullif(reasoning, ''), '')
        ) as said
    from made

    union all

    select
        release,
        suite,
        qa_pair_id,
        case_id,
        'Votes',
        row_number() over (partition by release, suite, case_id order by verifier),
        concat(
            verifier,
            case when passes then ': PASS' when not passes then ': FAIL' else ': unread' end,
            coalesce(', expects ' || nullif(predicted_behavior, ''), ''),
            if(len(failed) > 0, ', no to ' || array_to_string(failed, ', '), ''),
            coalesce('. ' || coalesce(nullif(votes.reason, ''), votes.unread_reason), '')
        )
    from made
    inner join raw.verifier_votes as votes using (release, suite, perturbation_id)

)

select * from said
