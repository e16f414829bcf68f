-- One row per case of RefusalBench: what a good reply is, and the passages before and after its perturbation.
--
-- Of several passages, those are listed that changed, and those that the answer follows from.
with made as (

    select
        cases.release,
        cases.suite,
        cases.case_id,
        if(
            cases.is_answerable,
            cases.target,
            printf('It refuses with the code %s.', cases.details ->> '$.expected')
        ) as wanted,
        bases.passages,
        map_from_entries(
            list_transform(perturbations.changes, lambda change: {'k': change.index, 'v': change.text})
        ) as changed
    from raw.cases as cases
    inner join raw.perturbations as perturbations
        on cases.release = perturbations.release
        and cases.suite = perturbations.suite
        and cases.details ->> '$.perturbation_id' = perturbations.perturbation_id
    inner join raw.base_questions as bases
        on perturbations.release = bases.release
        and perturbations.suite = bases.suite
        and perturbations.base_question_id = bases.base_question_id
    where cases.suite = 'refusalbench'

),

changes as (

    select
        * exclude (passages, changed),
        list_filter(
            list_transform(
                passages,
                lambda passage, place: {
                    'name': if(
                        len(passages) = 1,
                        'The passage',
                        printf('Passage %d, %s', place, if(passage.is_signal, 'with the answer', 'noise'))
                    ),
                    'original': if(
                        passage.is_signal or changed[(place - 1)::bigint] is not null, passage.text, null
                    ),
                    'changed': coalesce(changed[(place - 1)::bigint], passage.text)
                }
            ),
            lambda passage: passage.original is not null
        ) as passages
    from made

)

select * from changes
