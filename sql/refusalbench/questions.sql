-- One row per case of RefusalBench and matter that people rate, as questions for them (`tenkbench audit questions`).
--
-- People write an answer or a code before they see what the case expects: whether both agree is the human pass rate. Of
-- each class, intensities are drawn alike: with `--n 30`, 10 of each stratum. Of two more kinds, `quality` and
-- `naturalness`, they say yes or no of the perturbation; a no leaves the case in the metrics.
with cases as (

    select * from raw.cases
    where suite = 'refusalbench'

),

asked as (

    select
        cases.*,
        qa_pairs.query as original_query,
        cases.traits['perturbation_class'] as perturbation_class,
        contexts.text,
        originals.text as original_text,
        pairs.group_number,
        unnest(['label', 'quality', 'naturalness']) as kind
    from cases
    inner join raw.contexts as contexts using (release, suite, context_id)
    inner join raw.qa_pairs as qa_pairs using (release, suite, qa_pair_id)
    inner join raw.contexts as originals
        on qa_pairs.release = originals.release
        and qa_pairs.suite = originals.suite
        and qa_pairs.context_id = originals.context_id
    inner join staging.pairs as pairs using (release, suite, qa_pair_id)
    where cases.traits['prompt'] = 'plain' or not exists (
        from cases as others where others.release = cases.release and others.traits['prompt'] = 'plain'
    )

),

questions as (

    select
        release,
        suite,
        concat_ws(' ', case_id, nullif(kind, 'label')) as qa_pair_id,
        if(kind = 'label', perturbation_class, kind) as task,
        task || ': ' || traits['intensity'] as stratum,
        false as is_spare,
        group_number,
        case kind
            when 'label' then
                query || ' (Answer from the text alone. If a careful reader cannot, write the code of the reason: '
                || 'ambiguous query, contradictory context, missing information, false premise, granularity mismatch, '
                || 'nonfactual query.)'
            when 'quality' then
                printf(
                    'The question "%s" became "%s", by the lever "%s" (%s, %s). Is that a sound use of the lever, with no '
                    || 'other change? Answer yes or no.',
                    original_query, query, traits['lever'], replace(perturbation_class, '_', ' '), traits['intensity']
                )
            else
                '"' || query || '" Could this question and this text have been written by people who test nobody? '
                || 'Answer yes or no.'
        end as query,
        case when kind != 'label' then 'yes' when is_answerable then target else details ->> 'expected' end as answer,
        if(kind = 'quality', printf(e'Before:\n\n%s\n\nNow:\n\n%s', original_text, text), text) as text
    from asked

)

select * from questions
