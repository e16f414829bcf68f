"""The relations of `raw`: Parquet parts, the journal's purchases, judged models, releases."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tasks.core.rows import ROW_TYPES
from tasks.core.tables import arrow_schema, by_table, sql_columns, table_of
from tasks.inference.cache.response_cache import Purchase, ResponseCache
from tasks.lake.arrow import without_pandas
from tasks.lake.lake import ConcurrentChange
from tasks.suites import registry
from tasks.warehouse.judged_models import JudgedModel
from tasks.warehouse.releases import Release
from tasks.warehouse.row_checks import KEYS, columns_of

if TYPE_CHECKING:
    import duckdb

# Relations whose rows come from commits, not from Parquet.
GIVEN: dict[str, type] = {"models": JudgedModel, "releases": Release}


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

    name, typed = table_of(row_type).name, columns_of(row_type)
    if not paths:
        _create_table(connection, name, typed)
        return
    try:
        _create_view(connection, name, typed, paths)
    except duckdb.IOException as error:
        if gone := [path for path in paths if not os.path.exists(path)]:
            raise ConcurrentChange(
                f"{gone[0]} is gone: another run has replaced it, or someone deleted it. Ask "
                "again, or remove its step with `tenkbench repair`."
            ) from error
        raise


def _create_view(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    typed: Mapping[str, str],
    paths: Sequence[str],
) -> None:
    """Create `raw.<table>` over files, whose columns may be those of another time."""
    # Not DuckDB's hive_partitioning: it reads a folder above the lake (`release=old/lake`) as a
    # key. Not its union_by_name: it reads every file's footer again for each relation.
    groups: dict[Any, list[str]] = {}
    for path, types in _columns_of(connection, paths):
        folders = partition_keys(path)
        values = tuple(folders.get(key) for key in KEYS)
        # by types, too: of structs read together, DuckDB drops fields that the first one lacks
        kind = (frozenset(types), str(types), frozenset(folders), values)
        groups.setdefault(kind, []).append(path)
    selects = []
    for (written, _, in_folders, values), group in groups.items():
        # Literals save joins the memory of a text per row; releases and suites are few.
        literals = {key: literal(value) for key, value in zip(KEYS, values, strict=True) if value}
        columns = []
        for name, sql_type in typed.items():
            value = f"null::{sql_type}"  # files of an old release may lack a newer column
            if name in written:
                value = f'"{name}"'
            elif name in literals:
                value = f"{literals[name]}::varchar"
            elif name in in_folders:
                value = _folder_value(name)
            columns.append(f'{value} as "{name}"')
        listed = ", ".join(map(literal, group))
        selects.append(
            f"select {', '.join(columns)} "
            f"from read_parquet([{listed}], hive_partitioning = false, filename = true)"
        )
    connection.execute(f"create view raw.{table} as {' union all '.join(selects)}")


def _columns_of(
    connection: duckdb.DuckDBPyConnection, paths: Sequence[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each Parquet file with its columns and their types."""
    read = connection.execute(
        "select file_name, name, coalesce(num_children, 0), duckdb_type "
        "from parquet_schema($paths)",
        {"paths": list(paths)},
    ).fetchall()
    for path, (_, *nodes) in groupby(read, key=itemgetter(0)):
        columns = {}
        n_inside = 0  # nodes to come of the last column: a node stands before its children
        for _, name, n_children, kind in nodes:
            if n_inside:
                n_inside -= 1
            else:
                columns[name] = kind
            n_inside += n_children
        yield path, columns


def create_given(
    connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[JudgedModel | Release]
) -> None:
    """Create a relation of `GIVEN` with these rows."""
    typed = sql_columns(GIVEN[table])
    _create_table(connection, table, typed)
    if rows:
        places = ", ".join("?" for _ in typed)
        connection.executemany(f"insert into raw.{table} values ({places})", map(astuple, rows))


def create_journal(connection: duckdb.DuckDBPyConnection, journal: ResponseCache | None) -> None:
    """Create `raw.journal` from the journal's purchases.

    DuckDB can read the SQLite file itself only after downloading an extension.

    Raises:
        CacheError: the journal cannot be read.
    """
    _create_table(connection, "journal", sql_columns(Purchase))
    portions = [] if journal is None else list(journal.purchases())
    if portions:
        import pyarrow as pa

        without_pandas()
        schema = arrow_schema(Purchase)
        batches = [
            pa.record_batch([*map(pa.array, zip(*portion, strict=True), schema.types)], schema)
            for portion in portions
        ]
        connection.register("bought", pa.Table.from_batches(batches))
        connection.execute("insert into raw.journal from bought")
        connection.unregister("bought")


def _create_table(
    connection: duckdb.DuckDBPyConnection, table: str, typed: Mapping[str, str]
) -> None:
    columns = ", ".join(f'"{name}" {sql_type}' for name, sql_type in typed.items())
    connection.execute(f"create table raw.{table} ({columns})")


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
