-- One row per data table whose span is not inside its document's text.
with documents as (

    select
        release,
        document_id,
        length(text) as n_chars
    from raw.documents

),

filing_tables as (

    select
        release,
        document_id,
        table_id,
        start_char,
        end_char
    from raw.filing_tables

),

misplaced as (

    select
        filing_tables.*,
        documents.n_chars
    from filing_tables
    inner join documents using (release, document_id)
    where start_char < 0 or end_char > n_chars or start_char >= end_char

)

select * from misplaced
