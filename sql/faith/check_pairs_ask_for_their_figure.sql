-- One row per pair that asks for a masked figure, and is not what its figure says.
--
-- One figure, hidden once, in its sentence between its neighbours; its truth is the answer, its sentence what is cited;
-- unit and scenario are the figure's.
with spans as (

    select
        release,
        suite,
        qa_pair_id,
        context_id,
        sentence,
        -- whatever whitespace is between them
        concat(pre_sentence, left(sentence, start_char), '[MASK]', substring(sentence, end_char + 1), post_sentence)
            as passage,
        truth,
        unit,
        mask_type,
        count(*) over (partition by release, suite, qa_pair_id) as n_spans
    from raw.masked_spans
    where qa_pair_id is not null

),

described as (

    select
        pairs.release,
        pairs.suite,
        pairs.qa_pair_id,
        case
            when coalesce(spans.n_spans, 0) != 1 then 'not one masked figure'
            when pairs.context_id != spans.context_id then 'other tables than the figure''s'
            when length(pairs.query) - length(replace(pairs.query, '[MASK]', '')) != length('[MASK]')
                then 'not one [MASK] in the query'
            when regexp_replace(pairs.query, '[\s\p{Z}]', '', 'g') != regexp_replace(spans.passage, '[\s\p{Z}]', '', 'g')
                then 'the query is not the sentence with its figure hidden, between its neighbours'
            when pairs.answer != spans.truth then 'the answer is not the figure'
            when pairs.citation_text != spans.sentence or [citation.quote for citation in pairs.citations] != [spans.sentence]
                then 'the citation is not the sentence'
            when pairs.traits['unit'] is distinct from spans.unit then 'another unit than the figure''s'
            when pairs.traits['scenario'] is distinct from macros.scenario(spans.mask_type)
                then 'another scenario than the figure''s'
        end as what_is_wrong
    from raw.qa_pairs as pairs
    left join spans using (release, suite, qa_pair_id)
    where pairs.task = 'mask'

)

select distinct * from described
where what_is_wrong is not null
