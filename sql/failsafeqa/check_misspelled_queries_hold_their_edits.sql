-- One row per misspelled case made here that records no edit, does not hold what an edit wrote, or cannot be undone.
--
-- Undone, each edit's text gives way to what stood there before: that must be the baseline's query.
with baselines as (

    select
        release,
        suite,
        qa_pair_id,
        query
    from raw.cases
    where variant = 'baseline'

),

misspelled as (

    select
        cases.release,
        cases.suite,
        cases.case_id,
        cases.query,
        baselines.query as baseline_query,
        from_json(
            json_extract(cases.details, '$.edits'),
            '[{"start": "bigint", "end": "bigint", "before": "varchar", "after": "varchar"}]'
        ) as edits
    from raw.cases as cases
    inner join raw.contexts as contexts using (release, suite, context_id)
    inner join baselines using (release, suite, qa_pair_id)
    where
        cases.variant = 'misspelled'
        and contexts.kind != 'dataset'

),

pieces as (

    select
        *,
        list_transform(
            edits,
            lambda edit: substring(query, edit."start" + 1, edit."end" - edit."start")
        ) as written,
        -- what stands between the edit before (the start, for the first) and this one, then what this one replaced
        list_transform(
            edits,
            lambda edit, i: substring(
                query,
                coalesce(edits[i - 1]."end", 0) + 1,
                edit."start" - coalesce(edits[i - 1]."end", 0)
            ) || edit.before
        ) as restored,
        substring(query, edits[-1]."end" + 1) as rest
    from misspelled

),

described as (

    select
        release,
        suite,
        case_id,
        query,
        case
            when coalesce(len(edits), 0) = 0
                then 'it records no edit'
            when written is distinct from list_transform(edits, lambda edit: edit.after)
                then 'it does not hold what an edit wrote'
            when array_to_string(restored, '') || rest is distinct from baseline_query
                then 'undoing its edits does not give the baseline''s query'
        end as what_is_wrong
    from pieces

)

select * from described
where what_is_wrong is not null
