"""The warehouse: the lake's Parquet and its journal as DuckDB relations, and the SQL files over them.

`sql/<folder>/<name>.sql` is the relation `<folder>.<name>`: one `select` whose first line, a
comment, states the grain and becomes the relation's comment. `sql/macros/<name>.sql` is one
`create macro` statement. Files may mention each other's relations; they are made in the order
in which they need each other.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import astuple, dataclass
from graphlib import CycleError, TopologicalSorter
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tasks.arrow import without_pandas
from tasks.cutoffs import Cutoff
from tasks.database import JournalError
from tasks.journal import Journal, Purchase
from tasks.schemas import TABLES, arrow_schema

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

FOLDERS = ("macros", "staging", "metrics", "reports", "checks")

# Partition keys that a relation of `raw` has besides the row's own columns: a release may hold
# the same id in two suites, and a lake the same id in two releases.
_KEYS = ("release", "suite")
_UNPARTITIONED_BY_SUITE = ("filings", "documents", "filing_tables")

_SQL_TYPES = {
    "string": "varchar",
    "int64": "bigint",
    "double": "double",
    "bool": "boolean",
    "date32[day]": "date",
}

_RAW = frozenset(f"raw.{name}" for name in (*TABLES, "cutoffs", "journal"))

_COMMENT = re.compile(r"--[^\n]*")
_MACRO = re.compile(r"create\s+macro\s+macros\.(\w+)\s*\(", re.IGNORECASE)


class SqlFileError(Exception):
    """A file of `sql/` that cannot become a relation; the message names it."""


@dataclass(frozen=True, slots=True)
class SqlFile:
    """One file of `sql/`."""

    folder: str
    name: str
    text: str

    @property
    def relation(self) -> str:
        return f"{self.folder}.{self.name}"

    @property
    def path(self) -> str:
        return f"sql/{self.folder}/{self.name}.sql"

    @property
    def grain(self) -> str:
        """The first line's comment: what one row is."""
        return self.text.partition("\n")[0].removeprefix("--").strip()

    @property
    def statement(self) -> str:
        """The SQL without comments and closing semicolon."""
        return _COMMENT.sub("", self.text).strip().rstrip(";")


def open_warehouse(
    parts: Mapping[str, Sequence[str]],
    *,
    journal: Journal | None = None,
    needs_journal: bool = True,
    parameters: Mapping[str, str | int | float] | None = None,
    cutoffs: Sequence[Cutoff] = (),
    folders: Sequence[str] = FOLDERS,
    asked: str | None = None,
    database: Path | None = None,
) -> duckdb.DuckDBPyConnection:
    """A DuckDB over Parquet files, with every relation of `sql/` as a view.

    Args:
        parts: table -> its Parquet files, whose paths carry `key=value` folders; looked up for what is made only. A
            table without files is an empty relation with its full schema.
        journal: the lake's, whose purchases are `raw.journal`: all that were there on opening, of whatever
            release. It is read only where that is made.
        needs_journal: whether it is an error at once that the journal cannot be read. Otherwise it is one of every
            query that reads `raw.journal` or what needs it (`duckdb.Error`, in the same words), and of no other.
        parameters: what `getvariable(name)` gives in the files' SQL where the session has not set the variable.
        cutoffs: the rows of `raw.cutoffs`; `tasks.cutoffs.lake_cutoffs` finds those of a lake.
        folders: which folders of `sql/`; each may mention those before it.
        asked: SQL that will be asked: the relations that it mentions and those that they need are made, those of
            `raw` too, and no others, which is much quicker. All when not given, or when it mentions none.
        database: a file to make it in; in memory when not given.

    Raises:
        SqlFileError: a file of `sql/` is not a relation, or files need each other in a circle.
        JournalError: the journal cannot be read, and is needed.
    """
    import duckdb

    connection = duckdb.connect(
        ":memory:" if database is None else database,
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False},
    )
    try:
        available = sql_files(folders)
        found = in_order(available, asked)
        statements = [asked or "", *(file.statement for file in found)]
        raw = _RAW if len(found) == len(available) else _mentioned("\n".join(statements), _RAW)
        connection.execute("create schema raw")
        for table in TABLES:
            if f"raw.{table}" in raw:
                _create_raw(connection, table, parts.get(table, ()))
        if "raw.cutoffs" in raw:
            _create_cutoffs(connection, cutoffs)
        if "raw.journal" in raw:
            _create_journal(connection, journal, needs_journal)
        for folder in folders:
            connection.execute(f"create schema {_identifier(folder)}")
        for file in found:
            create_relation(connection, file, parameters)
    except BaseException:
        connection.close()
        raise
    return connection


def write_warehouse(
    target: Path,
    parts: Mapping[str, Sequence[str]],
    *,
    journal: Journal,
    parameters: Mapping[str, str | int | float],
    cutoffs: Sequence[Cutoff] = (),
) -> None:
    """The warehouse as a file for any DuckDB: views over the Parquet files that are there now, by their full paths.

    What the ledger keeps is copied. The file is replaced in one piece, so that whoever has the older one open
    keeps it.

    Raises:
        SqlFileError: see `open_warehouse`.
    """
    half_made = target.with_name(f".{target.name}.{os.getpid()}")
    half_made.unlink(missing_ok=True)
    found = {table: [str(Path(path).resolve()) for path in paths] for table, paths in parts.items()}
    try:
        open_warehouse(
            found,
            journal=journal,
            needs_journal=False,
            parameters=parameters,
            cutoffs=cutoffs,
            database=half_made,
        ).close()
        os.replace(half_made, target)
    finally:
        half_made.unlink(missing_ok=True)


def run_checks(connection: duckdb.DuckDBPyConnection) -> dict[str, list[tuple[Any, ...]]]:
    """The rows that each relation of `checks` returns: none where the data holds together."""
    return {
        file.name: connection.execute(f"from {file.relation}").fetchall() for file in sql_files(["checks"])
    }


# --- files -------------------------------------------------------------------------------


def sql_files(folders: Sequence[str] = FOLDERS) -> list[SqlFile]:
    """The files of `sql/`, folder by folder, by name."""
    root = files("sql")
    return [
        SqlFile(folder, entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8"))
        for folder in folders
        for entry in sorted(_entries(root / folder), key=lambda entry: entry.name)
    ]


def _entries(folder: Traversable) -> list[Traversable]:
    return [entry for entry in folder.iterdir() if entry.name.endswith(".sql")]


def in_order(found: Sequence[SqlFile], asked: str | None = None) -> list[SqlFile]:
    """Files such that each comes after those whose relations it mentions.

    Args:
        asked: SQL; where it mentions some of the relations, or of `raw`, files that it does not need are left out.

    Raises:
        SqlFileError: files need each other in a circle.
    """
    by_relation = {file.relation: file for file in found}
    needs = {file.relation: _mentioned(file.statement, by_relation) - {file.relation} for file in found}
    wanted = set() if asked is None else _mentioned(asked, {*by_relation, *_RAW})
    waiting = sorted(wanted & by_relation.keys() if wanted else by_relation)
    sorter: TopologicalSorter[str] = TopologicalSorter()
    while waiting:
        relation = waiting.pop()
        needed = sorted(needs.pop(relation, ()))
        sorter.add(relation, *needed)
        waiting += [name for name in needed if name in needs]
    try:
        return [by_relation[name] for name in sorter.static_order()]
    except CycleError as circle:
        paths = " -> ".join(by_relation[name].path for name in circle.args[1])
        raise SqlFileError(f"these files need each other: {paths}") from circle


def _mentioned(statement: str, relations: Container[str]) -> set[str]:
    """Those of the relations that a statement names."""
    return {name for name in re.findall(r"\b([a-z_]\w*\.[a-z_]\w*)\b", statement) if name in relations}


def create_relation(
    connection: duckdb.DuckDBPyConnection,
    file: SqlFile,
    parameters: Mapping[str, str | int | float] | None = None,
) -> None:
    """Make the relation, or macro, of one file; parameters as in `open_warehouse`.

    Raises:
        SqlFileError: the file is not what its place says; the message names it.
    """
    import duckdb

    if not file.text.startswith("-- "):
        raise SqlFileError(f"{file.path}: the first line must be a comment that states the grain")
    is_macro = file.folder == "macros"
    if is_macro:
        declared = _MACRO.match(file.statement)
        if declared is None or declared[1] != file.name:
            raise SqlFileError(f"{file.path} must be one `create macro macros.{file.name}(...)`")
        statement = file.statement
    else:
        statement = f"create view {file.relation} as\n{file.statement}"
    for name, value in (parameters or {}).items():
        variable = f"getvariable('{_identifier(name)}')"
        shown = _literal(value) if isinstance(value, str) else repr(value)
        statement = statement.replace(variable, f"coalesce({variable}, {shown})")
    try:
        connection.execute(statement)
        if not is_macro:
            connection.execute(f"comment on view {file.relation} is {_literal(file.grain)}")
    except duckdb.Error as error:
        raise SqlFileError(f"{file.path}: {error}") from error


# --- raw ---------------------------------------------------------------------------------


def _create_raw(connection: duckdb.DuckDBPyConnection, table: str, paths: Sequence[str]) -> None:
    """`raw.<table>`: the row's columns and the partition keys that they lack."""
    import pyarrow.parquet as pq

    schema = arrow_schema(TABLES[table])
    keys = [
        key
        for key in _KEYS
        if key not in schema.names and not (key == "suite" and table in _UNPARTITIONED_BY_SUITE)
    ]
    if not paths:
        _create_table(connection, table, schema, keys)
        return
    # Not DuckDB's hive_partitioning: it refuses files of different keys in one scan (a judge's
    # requests have one more), and lets a folder's name overrule a column of the file. Nor its
    # union_by_name, which reads every file's footer again for each relation over them.
    groups: dict[tuple[tuple[str | None, ...], frozenset[str]], list[str]] = {}
    for path in paths:
        found = partition_keys(path)
        written = frozenset(pq.read_schema(path).names)
        groups.setdefault((tuple(found.get(key) for key in keys), written), []).append(path)
    selects = []
    for (values, written), group in groups.items():
        # A release is kept for years: its files may lack a column that rows have today, and hold one that is gone.
        columns = [
            f'"{field.name}"' if field.name in written else f'null::{_sql_type(field.type)} as "{field.name}"'
            for field in schema
        ]
        columns += [
            f"{'null' if value is None else _literal(value)}::varchar as {key}"
            for key, value in zip(keys, values, strict=True)
        ]
        listed = ", ".join(_literal(path) for path in group)
        selects.append(
            f"select {', '.join(columns)} from read_parquet([{listed}], hive_partitioning = false)"
        )
    connection.execute(f"create view raw.{table} as {' union all '.join(selects)}")


def _create_cutoffs(connection: duckdb.DuckDBPyConnection, cutoffs: Sequence[Cutoff]) -> None:
    """`raw.cutoffs`: one row per release, suite and model with a stated cutoff."""
    connection.execute(
        "create table raw.cutoffs (release varchar, suite varchar, model varchar, cutoff date)"
    )
    if rows := [astuple(cutoff) for cutoff in cutoffs]:
        connection.executemany("insert into raw.cutoffs values (?, ?, ?, ?)", rows)


def _create_journal(connection: duckdb.DuckDBPyConnection, journal: Journal | None, is_needed: bool) -> None:
    """`raw.journal`: DuckDB would have to download an extension to read SQLite's file itself."""
    import pyarrow as pa

    schema = arrow_schema(Purchase)
    without_pandas()
    try:
        portions = [] if journal is None else journal.purchases()
        bought = [_arrow_batch(portion, schema) for portion in portions]
    except JournalError as unreadable:
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
    fails = f"error({_literal(problem)})"
    # not null for columns: DuckDB knows beforehand what is said of a null, and would leave the rest out; and in the
    # condition for queries that need no column, such as count(*)
    failing = ", ".join(f'{fails}::{_sql_type(field.type)} as "{field.name}"' for field in schema)
    connection.execute(f"create view raw.{table} as select {failing} where {fails}::boolean")


def _sql_type(arrow_type: pa.DataType) -> str:
    """DuckDB's name of an Arrow type. (Registering an Arrow table would import pandas, which takes a second.)"""
    import pyarrow as pa

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


def _identifier(name: str) -> str:
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", name):
        raise ValueError(f"{name!r} cannot name anything in SQL")
    return name


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
