-- One row per case of RefusalBench whose query, text, labels or code are not those of its perturbation.
--
-- Its text is that of the base question's passages, with exactly those changed that the perturbation changes. The code is
-- that of the class, and at low intensity the answer.
with made as (

    select
        cases.release,
        cases.suite,
        cases.case_id,
        cases.variant,
        cases.query,
        cases.is_answerable,
        cases.details ->> '$.expected' as expected,
        contexts.text,
        perturbations.query as perturbed_query,
        perturbations.perturbation_class,
        perturbations.intensity,
        list_transform(
            bases.passages,
            lambda passage, place: coalesce(
                list_filter(perturbations.changes, lambda change: change.index = place - 1)[1].text, passage.text
            )
        ) as texts,
        cases.qa_pair_id = bases.base_question_id
        and cases.target = array_to_string(bases.answers, ' OR ')
        and map_extract(cases.traits, 'setting') = [perturbations.setting]
        and map_extract(cases.traits, 'perturbation_class') = [perturbations.perturbation_class]
        and map_extract(cases.traits, 'intensity') = [perturbations.intensity]
        and map_extract(cases.traits, 'lever') = [perturbations.lever]
        and map_extract(cases.traits, 'generator') = [perturbations.generator] as is_labelled
    from raw.cases as cases
    inner join raw.contexts as contexts using (release, suite, context_id)
    inner join raw.perturbations as perturbations
        on cases.release = perturbations.release
        and cases.suite = perturbations.suite
        and cases.details ->> '$.perturbation_id' = perturbations.perturbation_id
    inner join raw.base_questions as bases using (release, suite, base_question_id)
    where cases.suite = 'refusalbench'

),

expected as (

    select
        *,
        if(
            len(texts) = 1,
            texts[1],
            array_to_string(
                list_transform(texts, lambda text, place: concat('Passage ', place, ':', chr(10), text)),
                chr(10) || chr(10)
            )
        ) as expected_text,
        case
            when intensity = 'low' then 'ANSWER_CORRECTLY'
            when perturbation_class = 'ambiguity' then 'REFUSE_AMBIGUOUS_QUERY'
            when perturbation_class = 'contradiction' then 'REFUSE_CONTRADICTORY_CONTEXT'
            when perturbation_class = 'missing_info' then 'REFUSE_INFO_MISSING_IN_CONTEXT'
            when perturbation_class = 'false_premise' then 'REFUSE_FALSE_PREMISE_IN_QUERY'
            when perturbation_class = 'granularity_mismatch' then 'REFUSE_GRANULARITY_MISMATCH'
            when perturbation_class = 'epistemic_mismatch' then 'REFUSE_NONFACTUAL_QUERY'
        end as expected_code
    from made

)

select
    release,
    suite,
    case_id,
    variant,
    expected,
    expected_code,
    query = perturbed_query as has_query,
    text = expected_text as has_text,
    is_labelled
from expected
where
    query is distinct from perturbed_query
    or text is distinct from expected_text
    or is_labelled is distinct from true
    or expected is distinct from expected_code
    or variant != concat(perturbation_class, '_', intensity)
    or is_answerable != (intensity = 'low')
