-- One row per misspelled case made here that records no edit, or whose query does not hold what an edit wrote.
with misspelled as (

    select
        cases.release,
        cases.suite,
        cases.case_id,
        cases.query,
        from_json(
            json_extract(cases.details, '$.edits'),
            '[{"start": "bigint", "end": "bigint", "after": "varchar"}]'
        ) as edits
    from raw.cases as cases
    inner join raw.contexts as contexts
        on cases.release = contexts.release
        and cases.suite = contexts.suite
        and cases.context_id = contexts.context_id
    where
        cases.perturbation = 'misspelled'
        and contexts.kind != 'dataset'

),

unedited as (

    select * from misspelled
    where
        coalesce(len(edits), 0) = 0
        or list_bool_or(
            list_transform(
                edits,
                lambda edit: substring(query, edit."start" + 1, edit."end" - edit."start") != edit.after
            )
        )

)

select * from unedited
