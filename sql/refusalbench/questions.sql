-- One row per case of RefusalBench, as a question for people (`tenkbench audit questions`): what a careful reader would reply.
--
-- People write an answer or a code before they see what the case expects: whether both agree is the human pass rate. Of
-- each class, intensities are drawn alike: with `--n 30`, 10 of each stratum.
with cases as (

    select * from raw.cases
    where suite = 'refusalbench'

),

questions as (

    select
        cases.release,
        cases.suite,
        cases.case_id as qa_pair_id,
        cases.traits['perturbation_class'] as task,
        cases.traits['perturbation_class'] || ': ' || cases.traits['intensity'] as stratum,
        false as is_spare,
        pairs.group_number,
        cases.query || ' (Answer from the text alone. If a careful reader cannot, write the code of the reason: '
        || 'ambiguous query, contradictory context, missing information, false premise, granularity mismatch, '
        || 'nonfactual query.)' as query,
        if(cases.is_answerable, cases.target, cases.details ->> 'expected') as answer,
        contexts.text
    from cases
    inner join raw.contexts as contexts using (release, suite, context_id)
    inner join staging.pairs as pairs using (release, suite, qa_pair_id)
    where cases.traits['prompt'] = 'plain' or not exists (
        from cases as others where others.release = cases.release and others.traits['prompt'] = 'plain'
    )

)

select * from questions
