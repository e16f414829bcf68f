-- One row per row of a release that another release may have too, by its id: a hash of what it says, and words for it.
--
-- `kind` is a case's variant, a context's kind, a reject's stage. What belongs to no suite is of suite 'all'.
select
    release,
    'all' as suite,
    'filings' as table_name,
    form as kind,
    filing_id as row_id,
    sha256 as content,
    concat_ws(', ', company, form, period_end::varchar) as said
from raw.filings
union all
select release, 'all', 'documents', '', document_id, md5(text), concat('text of filing ', filing_id)
from raw.documents
union all
select
    release,
    suite,
    'contexts',
    kind,
    context_id,
    md5(text),
    concat(kind, ' context of ', array_to_string(document_ids, ', '), ', ', n_tokens, ' tokens')
from raw.contexts
union all
select release, suite, 'qa_pairs', task, qa_pair_id, md5(concat_ws(chr(31), query, answer, citation_text)), query
from raw.qa_pairs
union all
select release, suite, 'cases', variant, case_id, md5(concat_ws(chr(31), query, coalesce(context_id, ''), target)), query
from raw.cases
union all
select release, suite, 'rejects', stage, reject_id, md5(reason), concat(parent_id, ': ', reason)
from raw.rejects
