"""The warehouse: the SQL of `sql/` over a lake, as DuckDB relations."""
