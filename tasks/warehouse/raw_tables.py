"""The relations of `raw`: Parquet parts, the journal's purchases, judged models, releases."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tasks.core.rows import ROW_TYPES
from tasks.core.tables import arrow_schema, by_table, table_of
from tasks.inference.cache.response_cache import Purchase, ResponseCache
from tasks.inference.cache.tables import CacheError
from tasks.lake.arrow import without_pandas
from tasks.lake.lake import ConcurrentChange
from tasks.suites import registry
from tasks.warehouse.judged_models import JudgedModel
from tasks.warehouse.releases import Release

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

# Partition keys that a relation of `raw` adds to the row's own columns. Two suites of a release,
# and two releases of a lake, may have the same id.
_KEYS = ("release", "suite")

# Relations whose rows come from commits, not from Parquet.
GIVEN: dict[str, type] = {"models": JudgedModel, "releases": Release}

_SQL_TYPES = {
    "string": "varchar",
    "int64": "bigint",
    "double": "double",
    "bool": "boolean",
    "date32[day]": "date",
}


def row_types() -> dict[str, type]:
    """Return the shared and the suites' row types by table name."""
    return by_table((*ROW_TYPES, *registry.row_types()))


def raw_relations() -> frozenset[str]:
    """Return the names of all relations of `raw`."""
    return frozenset(f"raw.{name}" for name in (*row_types(), "journal", *GIVEN))


def create_raw(connection: duckdb.DuckDBPyConnection, row_type: type, paths: Sequence[str]) -> None:
    """Create `raw.<table>` with the row's columns and the missing partition keys.

    Raises:
        ConcurrentChange: another run has replaced a file since the files were listed.
    """
    import duckdb
    import pyarrow.parquet as pq

    table, schema = table_of(row_type), arrow_schema(row_type)
    keys = [key for key in _KEYS if key in table.keys and key not in schema.names]
    typed = {field.name: _sql_type(field.type) for field in schema} | dict.fromkeys(keys, "varchar")
    if not paths:
        _create_table(connection, table.name, schema, keys)
        return
    # Not DuckDB's hive_partitioning: it reads a folder above the lake (`release=old/lake`) as a
    # key. Not its union_by_name: it reads every file's footer again for each relation.
    groups: dict[tuple[frozenset[str], str, frozenset[str], tuple[str | None, ...]], list[str]] = {}
    for path in paths:
        try:
            read = pq.read_schema(path).remove_metadata()
        except FileNotFoundError as gone:
            raise _replaced(path) from gone
        found = partition_keys(path)
        values = tuple(found.get(key) for key in _KEYS)
        # by types, too: of structs read together, DuckDB drops fields that the first one lacks
        kind = (frozenset(read.names), str(read), frozenset(found), values)
        groups.setdefault(kind, []).append(path)
    selects = []
    for (written, _, in_folders, values), group in groups.items():
        # Literals save joins the memory of a text per row; releases and suites are few.
        literals = {key: literal(value) for key, value in zip(_KEYS, values, strict=True) if value}
        columns = []
        for name, sql_type in typed.items():
            if name in written:
                columns.append(f'"{name}"')
            elif name in literals:
                columns.append(f'{literals[name]}::varchar as "{name}"')
            elif name in in_folders:
                columns.append(f'{_folder_value(name)} as "{name}"')
            else:  # Files of an old release may lack a newer column.
                columns.append(f'null::{sql_type} as "{name}"')
        listed = ", ".join(literal(path) for path in group)
        selects.append(
            f"select {', '.join(columns)} "
            f"from read_parquet([{listed}], hive_partitioning = false, filename = true)"
        )
    try:
        connection.execute(f"create view raw.{table.name} as {' union all '.join(selects)}")
    except duckdb.IOException as error:
        if gone_since := [path for path in paths if not os.path.exists(path)]:
            raise _replaced(gone_since[0]) from error
        raise


def _replaced(path: str) -> ConcurrentChange:
    return ConcurrentChange(
        f"{path} is gone: another run has replaced it, or someone deleted it. Ask again, or "
        "take its step back with `tenkbench repair`."
    )


def create_given(
    connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[JudgedModel | Release]
) -> None:
    """Create a relation of `GIVEN` with these rows."""
    schema = arrow_schema(GIVEN[table])
    _create_table(connection, table, schema)
    if rows:
        places = ", ".join("?" for _ in schema)
        connection.executemany(f"insert into raw.{table} values ({places})", map(astuple, rows))


def create_journal(
    connection: duckdb.DuckDBPyConnection, journal: ResponseCache | None, is_needed: bool
) -> None:
    """Create `raw.journal` from the journal's purchases.

    DuckDB can read the SQLite file itself only after downloading an extension.
    """
    import pyarrow as pa

    schema = arrow_schema(Purchase)
    without_pandas()
    try:
        portions = [] if journal is None else journal.purchases()
        bought = [_arrow_batch(portion, schema) for portion in portions]
    except CacheError as unreadable:
        if is_needed:
            raise
        _create_failing(connection, "journal", schema, str(unreadable))
        return
    _create_table(connection, "journal", schema)
    if bought:
        connection.register("bought", pa.Table.from_batches(bought, schema))
        connection.execute("insert into raw.journal from bought")
        connection.unregister("bought")


def _arrow_batch(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    columns = zip(*rows, strict=True)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.record_batch(arrays, schema=schema)


def _create_table(
    connection: duckdb.DuckDBPyConnection, table: str, schema: pa.Schema, keys: Sequence[str] = ()
) -> None:
    """Create an empty `raw` table with a schema's columns and partition keys."""
    typed = [f'"{field.name}" {_sql_type(field.type)}' for field in schema]
    typed += [f"{key} varchar" for key in keys]
    connection.execute(f"create table raw.{table} ({', '.join(typed)})")


def _create_failing(
    connection: duckdb.DuckDBPyConnection, table: str, schema: pa.Schema, problem: str
) -> None:
    """Create a `raw` relation on which every query fails with the problem."""
    fails = f"error({literal(problem)})"
    # Columns are not null casts: DuckDB would fold those early and skip the error. The condition
    # covers queries that need no column, such as count(*).
    failing = ", ".join(f'{fails}::{_sql_type(field.type)} as "{field.name}"' for field in schema)
    connection.execute(f"create view raw.{table} as select {failing} where {fails}::boolean")


def _sql_type(arrow_type: pa.DataType) -> str:
    """Return DuckDB's name of an Arrow type; registering a table would import pandas."""
    import pyarrow as pa

    if pa.types.is_map(arrow_type):
        return f"map({_sql_type(arrow_type.key_type)}, {_sql_type(arrow_type.item_type)})"
    if pa.types.is_list(arrow_type):
        return f"{_sql_type(arrow_type.value_type)}[]"
    if pa.types.is_struct(arrow_type):
        fields = [f'"{field.name}" {_sql_type(field.type)}' for field in arrow_type]
        return f"struct({', '.join(fields)})"
    return _SQL_TYPES[str(arrow_type)]


def partition_keys(path: str) -> dict[str, str]:
    """Return the `key=value` folders of a path, outermost first."""
    folders = path.replace("\\", "/").split("/")[:-1]
    pairs = (folder.partition("=") for folder in folders)
    return {key: unquote(value) for key, equals, value in pairs if equals}


def _folder_value(key: str) -> str:
    """Write the SQL for `partition_keys(filename)[key]`, by which DuckDB can skip files."""
    return rf"url_decode(regexp_extract(filename, '.*[/\\]{key}=([^/\\]*)[/\\]', 1, 's'))"


def literal(text: str) -> str:
    """Quote a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"
