-- One row per id that two rows of a table share within a release (and suite).
with ids as (

    select 'filings' as table_name, release, null as suite, filing_id as id from raw.filings
    union all
    select 'documents', release, null, document_id from raw.documents
    union all
    select 'filing_tables', release, null, table_id from raw.filing_tables
    union all
    select 'contexts', release, suite, context_id from raw.contexts
    union all
    select 'qa_pairs', release, suite, qa_pair_id from raw.qa_pairs
    union all
    select 'cases', release, suite, case_id from raw.cases
    union all
    select 'rejects', release, suite, reject_id from raw.rejects
    union all
    select 'requests', release, suite, request_id from raw.requests
    union all
    select 'responses', release, suite, request_id from raw.responses
    union all
    select 'judgements', release, suite, judgement_id from raw.judgements
    union all
    select 'attack_verdicts', release, suite, attack_verdict_id from raw.attack_verdicts
    union all
    select 'audit_items', release, suite, audit_item_id from raw.audit_items
    union all
    select 'audits', release, suite, audit_id from raw.audits
    union all
    select 'question_items', release, suite, question_item_id from raw.question_items
    union all
    select 'question_audits', release, suite, question_audit_id from raw.question_audits

),

repeated as (

    select
        table_name,
        release,
        suite,
        id,
        count(*) as n
    from ids
    group by all
    having count(*) > 1

)

select * from repeated
