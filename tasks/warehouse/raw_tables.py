"""The relations of `raw`: a lake's Parquet parts, its journal's purchases and models' cutoffs, as DuckDB sees them."""

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
from tasks.warehouse.training_cutoffs import Cutoff

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

# Partition keys that a relation of `raw` has besides the row's own columns: a release may hold
# the same id in two suites, and a lake the same id in two releases.
_KEYS = ("release", "suite")

_SQL_TYPES = {
    "string": "varchar",
    "int64": "bigint",
    "double": "double",
    "bool": "boolean",
    "date32[day]": "date",
}


def row_types() -> dict[str, type]:
    """Return every row type by the name of its table: those of all suites, and those of single ones."""
    return by_table((*ROW_TYPES, *registry.row_types()))


def raw_relations() -> frozenset[str]:
    """Return the names of all relations of `raw`."""
    return frozenset(f"raw.{name}" for name in (*row_types(), "cutoffs", "journal"))


def create_raw(connection: duckdb.DuckDBPyConnection, row_type: type, paths: Sequence[str]) -> None:
    """`raw.<table>` of a row type: the row's columns and the partition keys that they lack.

    A column that is a partition key is the text that the folder's name says.

    Raises:
        ConcurrentChange: another run has replaced one of the files since they were listed.
    """
    import duckdb
    import pyarrow.parquet as pq

    table, schema = table_of(row_type), arrow_schema(row_type)
    keys = [key for key in _KEYS if key in table.keys and key not in schema.names]
    typed = {field.name: _sql_type(field.type) for field in schema} | dict.fromkeys(keys, "varchar")
    if not paths:
        _create_table(connection, table.name, schema, keys)
        return
    # Not DuckDB's hive_partitioning: it takes a folder above the lake (`release=old/lake`) for a key.
    # Nor its union_by_name, which reads every file's footer again for each relation over them.
    groups: dict[tuple[frozenset[str], frozenset[str]], list[str]] = {}
    for path in paths:
        try:
            written = frozenset(pq.read_schema(path).names)
        except FileNotFoundError as gone:
            raise _replaced(path) from gone
        groups.setdefault((written, frozenset(partition_keys(path))), []).append(path)
    selects = []
    for (written, in_folders), group in groups.items():
        columns = []
        for name, sql_type in typed.items():
            if name in written:
                columns.append(f'"{name}"')
            elif name in in_folders:
                columns.append(f'{_folder_value(name)} as "{name}"')
            else:  # A release is kept for years: its files may lack a column that rows have today.
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
        f"{path} is gone: another run has replaced it, or it was deleted by hand; ask again, or run its step again with "
        "--force"
    )


def create_cutoffs(connection: duckdb.DuckDBPyConnection, cutoffs: Sequence[Cutoff]) -> None:
    """`raw.cutoffs`: one row per release, suite and model with a stated cutoff."""
    connection.execute(
        "create table raw.cutoffs (release varchar, suite varchar, model varchar, cutoff date)"
    )
    if rows := [astuple(cutoff) for cutoff in cutoffs]:
        connection.executemany("insert into raw.cutoffs values (?, ?, ?, ?)", rows)


def create_journal(
    connection: duckdb.DuckDBPyConnection, journal: ResponseCache | None, is_needed: bool
) -> None:
    """`raw.journal`: DuckDB would have to download an extension to read SQLite's file itself."""
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
    """An empty table of `raw`, of a schema's columns and partition keys."""
    typed = [f'"{field.name}" {_sql_type(field.type)}' for field in schema]
    typed += [f"{key} varchar" for key in keys]
    connection.execute(f"create table raw.{table} ({', '.join(typed)})")


def _create_failing(
    connection: duckdb.DuckDBPyConnection, table: str, schema: pa.Schema, problem: str
) -> None:
    """A relation of `raw` with a schema's columns that no query can read: each fails with the problem."""
    fails = f"error({literal(problem)})"
    # not null for columns: DuckDB knows beforehand what is said of a null, and would leave the rest out; and in the
    # condition for queries that need no column, such as count(*)
    failing = ", ".join(f'{fails}::{_sql_type(field.type)} as "{field.name}"' for field in schema)
    connection.execute(f"create view raw.{table} as select {failing} where {fails}::boolean")


def _sql_type(arrow_type: pa.DataType) -> str:
    """DuckDB's name of an Arrow type. (Registering an Arrow table would import pandas, which takes a second.)"""
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
    """The `key=value` folders of a path, outermost first."""
    folders = path.replace("\\", "/").split("/")[:-1]
    pairs = (folder.partition("=") for folder in folders)
    return {key: unquote(value) for key, equals, value in pairs if equals}


def _folder_value(key: str) -> str:
    """Write the SQL for `partition_keys(filename)[key]`; DuckDB skips files by a filter on it."""
    return rf"url_decode(regexp_extract(filename, '.*[/\\]{key}=([^/\\]*)[/\\]', 1, 's'))"


def literal(text: str) -> str:
    """A text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"
