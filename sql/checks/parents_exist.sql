-- One row per row whose parent is not in the release (and suite).
with filings as (select release, filing_id from raw.filings),

documents as (select release, document_id, filing_id from raw.documents),

filing_tables as (select release, table_id, document_id from raw.filing_tables),

contexts as (select release, suite, context_id, document_ids from raw.contexts),

-- a context of news, say, has no document
context_documents as (

    select release, suite, context_id, unnest(document_ids) as document_id
    from contexts

),

qa_pairs as (select release, suite, qa_pair_id, context_id from raw.qa_pairs),

cases as (select release, suite, case_id, qa_pair_id, context_id from raw.cases),

rejects as (select release, suite, reject_id, stage, parent_id from raw.rejects),

prefixes as (select release, suite, prefix_id from raw.prefixes),

requests as (select release, suite, request_id, prefix_id, case_id from raw.requests),

responses as (select release, suite, request_id from raw.responses),

judgements as (

    select release, suite, judgement_id, request_id, other_request_id, case_id, judge_request_id
    from raw.judgements

),

attack_verdicts as (select release, suite, attack_verdict_id, judge_request_id from raw.attack_verdicts),

audits as (select release, suite, audit_id, audit_item_id from raw.audits),

audit_items as (select release, suite, audit_item_id from raw.audit_items),

question_audits as (select release, suite, question_audit_id, question_item_id from raw.question_audits),

question_items as (select release, suite, question_item_id from raw.question_items),

orphans as (

    select 'documents' as table_name, release, null as suite, document_id as id, filing_id as parent_id
    from documents
    anti join filings using (release, filing_id)

    union all

    select 'filing_tables', release, null, table_id, document_id
    from filing_tables
    anti join documents using (release, document_id)

    union all

    select 'contexts', release, suite, context_id, document_id
    from context_documents
    anti join documents using (release, document_id)

    union all

    select 'qa_pairs', release, suite, qa_pair_id, context_id
    from qa_pairs
    anti join contexts using (release, suite, context_id)

    union all

    select 'cases', release, suite, case_id, qa_pair_id
    from cases
    anti join qa_pairs using (release, suite, qa_pair_id)

    union all

    select 'cases', release, suite, case_id, context_id
    from cases
    anti join contexts using (release, suite, context_id)
    where context_id is not null

    union all

    select 'rejects', release, suite, reject_id, parent_id
    from rejects
    anti join cases
        on rejects.release = cases.release
        and rejects.suite = cases.suite
        and rejects.parent_id = cases.case_id
    where stage like 'cases.%'

    union all

    select 'requests', release, suite, request_id, prefix_id
    from requests
    anti join prefixes using (release, suite, prefix_id)

    union all

    select 'requests', release, suite, request_id, case_id
    from requests
    anti join cases using (release, suite, case_id)
    where case_id is not null

    union all

    select 'responses', release, suite, request_id, request_id
    from responses
    anti join requests using (release, suite, request_id)

    union all

    select 'judgements', release, suite, judgement_id, request_id
    from judgements
    anti join responses using (release, suite, request_id)

    union all

    select 'judgements', release, suite, judgement_id, other_request_id
    from judgements
    anti join responses
        on judgements.release = responses.release
        and judgements.suite = responses.suite
        and judgements.other_request_id = responses.request_id
    where other_request_id is not null

    union all

    select 'judgements', release, suite, judgement_id, case_id
    from judgements
    anti join cases using (release, suite, case_id)

    union all

    select 'judgements', release, suite, judgement_id, judge_request_id
    from judgements
    anti join responses
        on judgements.release = responses.release
        and judgements.suite = responses.suite
        and judgements.judge_request_id = responses.request_id
    where judge_request_id is not null

    union all

    select 'attack_verdicts', release, suite, attack_verdict_id, judge_request_id
    from attack_verdicts
    anti join responses
        on attack_verdicts.release = responses.release
        and attack_verdicts.suite = responses.suite
        and attack_verdicts.judge_request_id = responses.request_id

    union all

    select 'audits', release, suite, audit_id, audit_item_id
    from audits
    anti join audit_items using (release, suite, audit_item_id)

    union all

    select 'question_audits', release, suite, question_audit_id, question_item_id
    from question_audits
    anti join question_items using (release, suite, question_item_id)

)

select * from orphans
