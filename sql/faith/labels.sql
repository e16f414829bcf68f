-- One row per release and published figure of FAITH whose stated truth is not its own sentence's.
--
-- official      the verdict of `official` on the figure as the sentence writes it, against the published truth: 'correct', or
--               the reason why not
-- differs_by    by what the truth is not the sentence's figure, as `strict` says: 'sign' (the minus alone) or 'figure';
--               null where it is the same
--
-- Figures of our own filings are asked for as they are written.
with published as (

    select
        spans.release,
        cases.case_id,
        spans.uid,
        spans.mask_type,
        spans.masked_text,
        spans.truth,
        cases.details::json ->> '$.as_written.strict' as strict,
        cases.details::json ->> '$.as_written.official' as official,
        spans.sentence
    from raw.masked_spans as spans
    inner join raw.documents as documents using (release, document_id)
    inner join raw.filings as filings using (release, filing_id)
    inner join raw.cases as cases using (release, suite, qa_pair_id)
    where filings.form = 'dataset'

),

labels as (

    select
        * exclude (strict),
        case
            when strict = 'the opposite sign' then 'sign'
            when strict != 'correct' then 'figure'
        end as differs_by
    from published

)

select * from labels
where differs_by is not null or official != 'correct'
order by release, differs_by nulls last, uid
