-- One row per case of FailSafeQA whose context, query or answerability is not what its variant says.
--
-- A missing context is null; an irrelevant context and a missing one make a case unanswerable, all others do not;
-- a scanned context is of kind ocr; a query rewritten here (not by a published dataset) differs from the baseline's, and
-- a check says that it has the same answer.
with cases as (

    select * from raw.cases
    where suite = 'failsafeqa'

),

baselines as (

    select
        release,
        suite,
        qa_pair_id,
        query,
        context_id
    from cases
    where variant = 'baseline'

),

described as (

    select
        cases.release,
        cases.suite,
        cases.case_id,
        cases.variant,
        case
            when not list_contains(failsafeqa.perturbations(), cases.variant)
                then 'no variant has this name'
            when cases.is_answerable != list_contains(failsafeqa.answerable_perturbations(), cases.variant)
                then 'answerable where it should not be, or the reverse'
            when (cases.context_id is null) != (cases.variant = 'missing_context')
                then 'a context where there should be none, or the reverse'
            when (context_kinds.kind = 'ocr') != (cases.variant = 'ocr')
                then 'a scanned context where it should be clean, or the reverse'
            when
                cases.variant in ('misspelled', 'incomplete', 'out_of_domain')
                and context_kinds.kind != 'dataset'
                and cases.query = baselines.query
                then 'the query is that of the baseline'
            when
                cases.variant in ('incomplete', 'out_of_domain')
                and context_kinds.kind != 'dataset'
                and json_extract_string(cases.details, '$.same_answer.verdict') is distinct from 'same'
                then 'no check says that the query has the same answer as the baseline''s'
            when
                cases.variant = 'irrelevant_context'
                and context_kinds.kind != 'dataset'
                and cases.query = baselines.query
                and cases.context_id = baselines.context_id
                then 'query and context are those of the baseline'
        end as what_is_wrong
    from cases
    left join baselines using (release, suite, qa_pair_id)
    left join raw.contexts as context_kinds
        on cases.release = context_kinds.release
        and cases.suite = context_kinds.suite
        and cases.context_id = context_kinds.context_id

)

select * from described
where what_is_wrong is not null
