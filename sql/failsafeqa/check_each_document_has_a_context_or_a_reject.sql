-- One row per document that has neither context nor reject of the suite, both, or two of one kind.
select * from macros.lost_documents('failsafeqa')
