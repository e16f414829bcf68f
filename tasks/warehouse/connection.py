"""The warehouse: DuckDB relations over the lake's Parquet, journal and SQL files.

Creating all relations takes a second; opening a file that holds them takes a hundredth of that. A
process therefore prepares one database, of which a whole warehouse is a copy with relations of
`raw` of its own. A warehouse for one query has only the relations that the query needs.
"""

from __future__ import annotations

import atexit
import shutil
import weakref
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tasks.core.files import replaced
from tasks.core.tables import arrow_schema, table_of, to_record
from tasks.inference.cache.response_cache import ResponseCache
from tasks.lake.arrow import without_pandas
from tasks.lake.lake import LakeError
from tasks.warehouse.comments import add_comments
from tasks.warehouse.judged_models import JudgedModel
from tasks.warehouse.raw_tables import (
    create_given,
    create_journal,
    create_raw,
    partition_keys,
    raw_relations,
    row_types,
)
from tasks.warehouse.releases import Release
from tasks.warehouse.sql_files import (
    SqlFile,
    checks_of,
    create_relation,
    in_order,
    mentioned,
    schemas,
    sql_files,
    united,
)

if TYPE_CHECKING:
    import duckdb

# Reports that are views in the file too: they hold texts of many rows of the lake.
_NO_TABLES = ("reports.explain", "reports.release_rows")

# What DuckDB keeps in memory; beyond it, it goes to disk. Ten million judgements take 1.8 GB.
_MEMORY = "3GB"

Parameters = Mapping[str, str | int | float]


def open_warehouse(
    parts: Mapping[str, Sequence[str]],
    *,
    journal: ResponseCache | None = None,
    parameters: Parameters | None = None,
    models: Sequence[JudgedModel] = (),
    releases: Sequence[Release] = (),
    query: str | None = None,
    database: Path | None = None,
) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB over Parquet files, with the `sql/` relations as views.

    Args:
        parts: table -> its Parquet files, whose paths contain `key=value` folders. Only tables that
            are created are looked up. A table without files becomes an empty relation.
        journal: the lake's response cache; its purchases of every release become `raw.journal`.
        parameters: defaults of `getvariable(name)` in the SQL files. The session may set others.
        models, releases: rows of `raw.models` and `raw.releases`.
        query: SQL that will run. Only what it needs is created; None: all.
        database: the database file. By default a temporary one, deleted with the connection.

    Raises:
        LakeError: the database cannot be written, such as on a full disk.
        CacheError: the journal cannot be read, and the query needs it.
    """
    values = dict(parameters or {})
    files, raw = _needed(query)
    is_whole = len(files) == len(sql_files())
    if database:
        connection = _opened(database, values, is_whole)
    else:
        folder = TemporaryDirectory(prefix="tenkbench-warehouse-", ignore_cleanup_errors=True)
        connection = _opened(Path(folder.name, "warehouse.duckdb"), values, is_whole)
        weakref.finalize(connection, folder.cleanup)
        # else closing would write what is deleted next: a sixth of the time of a small query
        connection.execute("pragma disable_checkpoint_on_shutdown")
    try:
        connection.begin()
        if not is_whole:
            _create_schemas(connection)
        suites = _create_raw_relations(connection, raw, parts, journal, models, releases)
        for file in files:
            if file.folder == "suites":
                create_relation(connection, united(file.name, suites), values)
            elif not is_whole:
                create_relation(connection, file, values)
        if query is None:  # comments take a tenth of a second
            add_comments(connection)
        connection.commit()
    except BaseException:
        connection.close()
        raise
    return connection


def write_warehouse(
    target: Path,
    parts: Mapping[str, Sequence[str]],
    *,
    journal: ResponseCache,
    parameters: Parameters,
    models: Sequence[JudgedModel] = (),
    releases: Sequence[Release] = (),
) -> None:
    """Write the warehouse as a file that any DuckDB can open.

    Reports are tables; the other relations are views, which name the current Parquet files by their
    full paths. The file is replaced atomically, so a process that has the old one open keeps it.
    """
    import duckdb

    full = {table: [str(Path(path).resolve()) for path in paths] for table, paths in parts.items()}
    try:
        with (
            replaced(target) as half_made,
            open_warehouse(
                full,
                journal=journal,
                parameters=parameters,
                models=models,
                releases=releases,
                database=half_made,
            ) as warehouse,
        ):
            for file in sql_files():
                if file.folder == "reports" and file.relation not in _NO_TABLES:
                    keep_rows(warehouse, file.relation)
            # once, because it looks at every column of every relation
            warehouse.begin()
            add_comments(warehouse)
            warehouse.commit()
    except (OSError, duckdb.OperationalError) as error:
        again = "Make room there, and run `tenkbench score`"
        if isinstance(error, duckdb.OutOfMemoryException):  # a bad plan
            again = "`tenkbench score --force` plans it anew,"
        raise LakeError(
            f"cannot write {target}: {error}. All results are kept. {again} with the same options"
        ) from error


def run_checks(
    connection: duckdb.DuckDBPyConnection, suite: str, *, without: Container[str] = ()
) -> dict[str, list[tuple[Any, ...]]]:
    """Return the faulty rows of a suite's checks, by relation; some checks may be left out."""
    return {
        file.relation: connection.execute(f"from {file.relation}").fetchall()
        for file in checks_of(suite)
        if file.relation not in without
    }


def keep_rows(connection: duckdb.DuckDBPyConnection, relation: str) -> None:
    """Replace a view with a table without comments, so that queries reuse its rows."""
    name = relation.partition(".")[2]
    connection.execute(
        f"begin; create table {relation}_kept as from {relation}; drop view {relation}; "
        f"alter table {relation}_kept rename to {name}; commit"
    )


def replace_rows(connection: duckdb.DuckDBPyConnection, rows: Sequence[Any]) -> None:
    """Replace a relation of `raw` with these rows, of one type; nothing happens without rows."""
    import pyarrow as pa

    if not rows:
        return
    row_type: type = type(rows[0])
    name, schema = table_of(row_type).name, arrow_schema(row_type)
    without_pandas()
    table = pa.Table.from_pylist([to_record(row) for row in rows], schema=schema)
    query = "select true from duckdb_views() where schema_name = 'raw' and view_name = ?"
    kind = "view" if connection.execute(query, [name]).fetchone() else "table"
    connection.execute(f"drop {kind} raw.{name}")
    connection.register("given", table)
    connection.execute(f"create table raw.{name} as from given")
    connection.unregister("given")


def _connect(database: Path) -> duckdb.DuckDBPyConnection:
    import duckdb

    extensions = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    return duckdb.connect(str(database), config={**extensions, "memory_limit": _MEMORY})


def _needed(query: str | None) -> tuple[list[SqlFile], frozenset[str]]:
    """Return the files and relations of `raw` that a query needs; None: all."""
    available, raw = sql_files(), raw_relations()
    needed = in_order(available, query)
    if len(needed) < len(available):
        texts = (query or "", *(file.statement for file in needed))
        raw = frozenset(mentioned("\n".join(texts), raw))
    return needed, raw


def _opened(database: Path, parameters: Parameters, is_whole: bool) -> duckdb.DuckDBPyConnection:
    """Open a new database, with all relations of `sql/` if it is whole."""
    import duckdb

    try:
        if is_whole:
            settings = tuple(sorted(parameters.items()))
            shutil.copyfile(_prepared(tuple(sql_files()), settings), database)
        return _connect(database)
    except (OSError, duckdb.OperationalError) as error:
        raise LakeError(
            f"cannot make {database}: {error}. All results are kept. Make room, or name another "
            "folder with the variable TMPDIR"
        ) from error


@lru_cache(maxsize=8)
def _prepared(files: tuple[SqlFile, ...], parameters: tuple[tuple[str, Any], ...]) -> Path:
    """Return a database with all relations of `sql/`, without `raw`; it lasts with the process."""
    folder = TemporaryDirectory(prefix="tenkbench-relations-", ignore_cleanup_errors=True)
    atexit.register(folder.cleanup)
    made = Path(folder.name, "relations.duckdb")
    with _connect(made) as connection:
        connection.begin()
        _create_schemas(connection)
        _create_raw_relations(connection, raw_relations(), {})
        for file in in_order(files):
            create_relation(connection, file, dict(parameters))
        # A view looks its tables up when it is queried, so each warehouse can add its own.
        for name in sorted(raw_relations()):
            connection.execute(f"drop table {name}")
        add_comments(connection)
        connection.commit()
    return made


def _create_schemas(connection: duckdb.DuckDBPyConnection) -> None:
    for schema in ("raw", *schemas()):
        connection.execute(f"create schema {schema}")


def _create_raw_relations(
    connection: duckdb.DuckDBPyConnection,
    raw: Container[str],
    parts: Mapping[str, Sequence[str]],
    journal: ResponseCache | None = None,
    models: Sequence[JudgedModel] = (),
    releases: Sequence[Release] = (),
) -> set[str | None]:
    """Create these relations of `raw`; return the suites whose rows they have."""
    suites: set[str | None] = set()
    for table, row_type in row_types().items():
        if f"raw.{table}" in raw:
            paths = parts.get(table, ())
            create_raw(connection, row_type, paths)
            suites |= {partition_keys(path).get("suite") for path in paths}
    if "raw.models" in raw:
        create_given(connection, "models", models)
    if "raw.releases" in raw:
        create_given(connection, "releases", releases)
    if "raw.journal" in raw:
        create_journal(connection, journal)
    return suites
