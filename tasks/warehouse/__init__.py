"""The SQL of `sql/` over a lake: `connection` opens it; `raw_tables` and `sql_files` say what is in it."""
