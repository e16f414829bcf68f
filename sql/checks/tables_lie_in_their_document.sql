-- One row per data table whose span is not inside its document's text.
select
    filing_tables.release,
    filing_tables.document_id,
    filing_tables.table_id,
    filing_tables.start_char,
    filing_tables.end_char,
    length(documents.text) as n_chars
from raw.filing_tables as filing_tables
inner join raw.documents as documents using (release, document_id)
where start_char < 0 or end_char > n_chars or start_char >= end_char
