-- One row per release and published figure of FAITH: its stated truth beside its own sentence, and beside a derivation.
--
-- strict, official       the verdict on the figure as the sentence writes it, against the published truth: 'correct', or
--                        the reason why not
-- differs_by             by what the truth is not the sentence's figure, as `strict` says: 'sign' (the minus alone) or
--                        'figure'; null where it is the same
-- operation, value       the best derivation over the cells of the tables, in ones of the figure's unit
-- is_proved              whether there is one
-- tables_agree_with      what derivations give, at the precision that cells have: 'sentence', 'truth', or 'both'
--
-- Figures of our own filings, also of those in a file that we exported, are asked for as they are written.
with spans as (

    select spans.*
    from raw.masked_spans as spans
    inner join raw.documents as documents using (release, document_id)
    inner join raw.filings as filings using (release, filing_id)
    where filings.form = 'dataset'

),

cases as (

    select
        release,
        suite,
        qa_pair_id,
        case_id,
        details::json as details
    from raw.cases

),

published_figures as (

    select
        spans.release,
        cases.case_id,
        spans.uid,
        spans.mask_type,
        coalesce(proofs.scenario, 'no derivation') as scenario,
        spans.masked_text,
        spans.truth,
        details ->> '$.as_written.strict' as strict,
        details ->> '$.as_written.official' as official,
        proofs.operation,
        proofs.value,
        case
            when strict = 'the opposite sign' then 'sign'
            when strict != 'correct' then 'figure'
        end as differs_by,
        proofs.span_id is not null as is_proved,
        details ->> '$.tables_agree_with' as tables_agree_with,
        spans.sentence
    from spans
    inner join cases using (release, suite, qa_pair_id)
    left join faith.proofs as proofs using (release, suite, span_id)

)

select * from published_figures
