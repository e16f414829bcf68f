-- One row per pair that asks for a masked figure, and is not what its figure and the figure's proof say.
--
-- One figure, hidden once, in its sentence between its neighbours; its truth is the answer, its sentence what is cited;
-- unit and mask type are the figure's, the scenario is the first derivation's, the tables are counted.
with spans as (

    select
        release,
        suite,
        qa_pair_id,
        span_id,
        context_id,
        sentence,
        left(sentence, start_char) as before,
        substring(sentence, end_char + 1) as behind,
        -- each on one line: every blank of Unicode's and each line break is one blank
        [
            trim(
                regexp_replace(
                    text,
                    '[\x{9}-\x{D}\x{1C}-\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}]+',
                    ' ',
                    'g'
                )
            )
            for text in [pre_sentence, before || '[MASK]' || behind, post_sentence]
        ] as lines,
        array_to_string([line for line in lines if line != ''], chr(10)) as passage,
        truth,
        unit,
        mask_type,
        count(*) over (partition by release, suite, qa_pair_id) as n_spans
    from raw.masked_spans
    where qa_pair_id is not null

),

tables as (

    select
        release,
        suite,
        context_id,
        len(regexp_extract_all(text, '(?m)^### Table \d+: ')) as n_tables
    from raw.contexts
    where kind = 'tables'

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
            when pairs.query != spans.passage
                then 'the query is not the sentence with its figure hidden, between its neighbours'
            when pairs.answer != spans.truth then 'the answer is not the figure'
            when pairs.citation_text != spans.sentence or [citation.quote for citation in pairs.citations] != [spans.sentence]
                then 'the citation is not the sentence'
            when pairs.traits['unit'] is distinct from spans.unit then 'another unit than the figure''s'
            when pairs.traits['mask_type'] is distinct from spans.mask_type
                then 'another mask type than the figure''s'
            when pairs.traits['scenario'] is distinct from coalesce(proofs.scenario, 'no derivation')
                then 'another scenario than its first derivation''s'
            when
                pairs.traits['tables'] is distinct from case
                    when tables.n_tables <= 5 then '1-5'
                    when tables.n_tables <= 10 then '6-10'
                    when tables.n_tables <= 20 then '11-20'
                    else '21 and more'
                end
                then 'another number of tables than it is shown'
        end as what_is_wrong
    from raw.qa_pairs as pairs
    left join spans using (release, suite, qa_pair_id)
    left join faith.proofs as proofs using (release, suite, span_id)
    left join tables
        on pairs.release = tables.release and pairs.suite = tables.suite and pairs.context_id = tables.context_id
    where pairs.task = 'mask'

)

select distinct * from described
where what_is_wrong is not null
