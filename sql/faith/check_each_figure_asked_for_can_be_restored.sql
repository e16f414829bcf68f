-- One row per figure asked for in our own filings that has neither a derivation nor a unanimous panel.
--
-- A published dataset's figures are asked for as they are.
with spans as (

    select release, suite, span_id, qa_pair_id from raw.masked_spans
    where qa_pair_id is not null and uid is null

)

select * from spans
anti join raw.derivations using (release, suite, span_id)
anti join faith.vouched_figures using (release, suite, span_id)
