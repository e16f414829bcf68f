-- One row per document that has neither a snippet nor a reject of the suite, or both.
--
-- A document may have several snippets. Rejects of its tables do not count: their parent is a table.
select * from macros.lost_documents('tablequest')
where least(n_contexts, 1) + n_rejects != 1
