-- One row per judgement, from its rating down to the filing: all that a number was made of.
--
-- answer_read is the part of a longer reply that the judge took for the answer, null where it is the whole reply.
-- is_by_rule says that a rule, or a set of rules in a model's place, gave the verdict; false where there is none.
-- A prompt is its system text, prefix and suffix; prompt_prefix begins with the system text. Citations are spans of the
-- document's text, so the Item, the document and the filing are those of the pair's own context (original_context_id),
-- of several documents the first, whatever the case was shown. What a release does not have is null: the filings of a
-- published dataset have no Items and no address.
--
-- What is joined twice is not materialized: it would be made whole, prompts and all, whatever is asked.
-- Contexts have no text: a prompt has it.
with contexts as not materialized (

    select * exclude (text) from raw.contexts

),

-- one row each: several steps may record the same prefix
prefixes as not materialized (

    select
        release,
        suite,
        prefix_id,
        any_value(concat_ws(chr(10), system, text)) as text
    from raw.prefixes
    group by all

),

explain as (

    select
        judgements.release,
        judgements.suite,
        judgements.model,
        judgements.judge,
        judgements.judgement_id,
        judgements.rating,
        judgements.label,
        judgements.score,
        judged_answers.is_compliant,
        judgements.unscored_reason,
        judgements.unscored_reason is null
        and (judgements.judge_request_id is null or coalesce(judge_responses.engine = 'extractive', false)) as is_by_rule,
        judgements.rationale,
        judgements.details ->> 'answer' as answer_read,
        judgements.case_id,
        cases.variant,
        cases.is_answerable,
        qa_pairs.task,
        map_concat(coalesce(qa_pairs.traits, map {}), coalesce(cases.traits, map {})) as traits,
        cases.query,
        qa_pairs.query as original_query,
        cases.details,
        cases.target,
        responses.text as answer,
        judgements.other_model,
        other_responses.text as other_answer,
        responses.finish_reason,
        responses.latency_ms,
        judgements.request_id,
        prefixes.text as prompt_prefix,
        requests.suffix as prompt_suffix,
        judgements.judge_request_id,
        judge_prefixes.text as judge_prompt_prefix,
        judge_requests.suffix as judge_prompt_suffix,
        cases.qa_pair_id,
        qa_pairs.citations,
        qa_pairs.citation_text,
        cases.context_id,
        contexts.kind as context_kind,
        qa_pairs.context_id as original_context_id,
        original_contexts.document_ids[1] as document_id,
        -- spans of Items may overlap: the shortest one counts
        list_sort(
            list_transform(
                list_filter(
                    documents.items,
                    lambda item: qa_pairs.citations[1].start_char between item.start_char and item.end_char - 1
                ),
                lambda item: {'n_chars': item.end_char - item.start_char, 'item': item.item}
            )
        )[1].item as item,
        documents.filing_id,
        filings.source_uri,
        filings.company,
        filings.cik,
        filings.form,
        filings.period_end,
        macros.sector(filings.sic) as sector,
        filings.filed_date,
        macros.edgar_url(filings.cik, filings.filing_id) as edgar_url
    from staging.judgements as judgements
    left join raw.cases as cases using (release, suite, case_id)
    left join raw.qa_pairs as qa_pairs using (release, suite, qa_pair_id)
    left join contexts
        on cases.release = contexts.release
        and cases.suite = contexts.suite
        and cases.context_id = contexts.context_id
    left join contexts as original_contexts
        on qa_pairs.release = original_contexts.release
        and qa_pairs.suite = original_contexts.suite
        and qa_pairs.context_id = original_contexts.context_id
    left join raw.documents as documents
        on original_contexts.release = documents.release
        and original_contexts.document_ids[1] = documents.document_id
    left join raw.filings as filings using (release, filing_id)
    left join raw.responses as responses using (release, suite, request_id)
    left join raw.responses as other_responses
        on judgements.release = other_responses.release
        and judgements.suite = other_responses.suite
        and judgements.other_request_id = other_responses.request_id
    left join raw.requests as requests using (release, suite, request_id)
    left join prefixes using (release, suite, prefix_id)
    left join raw.requests as judge_requests
        on judgements.release = judge_requests.release
        and judgements.suite = judge_requests.suite
        and judgements.judge_request_id = judge_requests.request_id
    left join raw.responses as judge_responses
        on judgements.release = judge_responses.release
        and judgements.suite = judge_responses.suite
        and judgements.judge_request_id = judge_responses.request_id
    left join prefixes as judge_prefixes
        on judge_requests.release = judge_prefixes.release
        and judge_requests.suite = judge_prefixes.suite
        and judge_requests.prefix_id = judge_prefixes.prefix_id
    left join staging.judged_answers as judged_answers using (release, suite, judgement_id)

)

select * from explain
