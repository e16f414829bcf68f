-- One row per pair: its filing, the number of its resampling group, and what it can be sliced by.
--
-- Filings are what a benchmark is drawn from; a published dataset names none, and there each context stands for its
-- own. If the cases of a pair name a query (`query_id` in their details), the benchmark is drawn from queries: each
-- stands for a filing. Groups are numbered from 0, by a hash of the filing, so that they say nothing about its content.
-- More than 256 filings share groups, so that intervals over millions of judgements take seconds: a standard error from
-- 256 groups is off by about 4 %, as are the ends of an interval from 1,000 draws in any case.
--
-- What a filing does not say is 'unknown'; a published dataset says nothing of its filings, which is null: no slice.
-- Of a context of several documents, the first document's filing counts. traits is what the suite slices its metrics by
-- besides, the same for all of a suite's pairs or not.
-- fiscal_year is the year in which the fiscal year ends, but one of whole weeks may end in the next year's first week;
-- answer_position that of the first citation in the context.
with queries as (

    select
        release,
        suite,
        qa_pair_id,
        any_value(details ->> '$.query_id') as query_id
    from raw.cases
    where contains(details, '"query_id"')
    group by all

),

filings as (

    select
        filing_id,
        release,
        coalesce(year(period_end - 7)::varchar, 'unknown') as fiscal_year,
        format,
        macros.sector(sic) as sector,
        filed_date
    from raw.filings
    where form != 'dataset'

),

described as (

    select
        qa_pairs.qa_pair_id,
        qa_pairs.release,
        qa_pairs.suite,
        coalesce(queries.query_id, documents.filing_id, qa_pairs.context_id) as filing_id,
        qa_pairs.task,
        coalesce(qa_pairs.traits, map {}) as traits,
        list_min([citation.start_char for citation in qa_pairs.citations]) - contexts.start_char as place,
        (contexts.details::json ->> 'n_chars')::bigint as n_chars,
        filings.fiscal_year,
        filings.format,
        filings.sector,
        filings.filed_date,
        case
            when contexts.n_tokens < 8000 then 'below 8k'
            when contexts.n_tokens < 16000 then '8k to 16k'
            when contexts.n_tokens < 24000 then '16k to 24k'
            when contexts.n_tokens >= 24000 then '24k and more'
        end as context_tokens,
        case
            when place < 0 then null
            when 3 * place < n_chars then 'first third'
            when 3 * place < 2 * n_chars then 'middle third'
            when place < n_chars then 'last third'
        end as answer_position
    from raw.qa_pairs as qa_pairs
    left join raw.contexts as contexts using (release, suite, context_id)
    left join queries using (release, suite, qa_pair_id)
    left join raw.documents as documents
        on qa_pairs.release = documents.release
        and contexts.document_ids[1] = documents.document_id
    left join filings on qa_pairs.release = filings.release and documents.filing_id = filings.filing_id

),

pairs as (

    select
        * exclude (place, n_chars),
        row_number() over (order by release, suite, qa_pair_id) as pair_number,
        (
            dense_rank() over (partition by release, suite order by md5(filing_id), filing_id) - 1
        ) % 256 as group_number
    from described

)

select * from pairs
