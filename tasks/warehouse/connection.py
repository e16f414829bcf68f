"""The warehouse: the lake's Parquet and its journal as DuckDB relations, and the SQL files over them.

DuckDB binds a view when it is made, and with it all that the view needs: a hundred of them take a
second. A database file that holds them opens in a hundredth of that. So one is prepared for each state
of the SQL files and kept in the cache folder; a warehouse begins as a copy of it, and gets the relations
of `raw`.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.core.ids import canonical_json, sha256_hex
from tasks.core.tables import arrow_schema
from tasks.inference.cache.response_cache import Purchase, ResponseCache
from tasks.lake.cache_folder import cache_folder
from tasks.warehouse import raw_tables
from tasks.warehouse import sql_files as relations
from tasks.warehouse.raw_tables import create_cutoffs, create_journal, create_raw, raw_relations, row_types
from tasks.warehouse.sql_files import create_relation, in_order, mentioned, schemas, sql_files
from tasks.warehouse.training_cutoffs import Cutoff

if TYPE_CHECKING:
    import duckdb

# A prepared database that is older is removed when another is made; where its SQL files are still these, it is made again.
_FORGOTTEN_S = 30 * 24 * 3600.0

Parameters = Mapping[str, str | int | float]


def open_warehouse(
    parts: Mapping[str, Sequence[str]],
    *,
    journal: ResponseCache | None = None,
    needs_journal: bool = True,
    parameters: Parameters | None = None,
    cutoffs: Sequence[Cutoff] = (),
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
        cutoffs: the rows of `raw.cutoffs`; `tasks.warehouse.training_cutoffs.lake_cutoffs` finds those of a lake.
        asked: SQL that will be asked: of `raw` the relations that it needs are made, and no others, so that no file
            of theirs is looked up. All when not given, or when it mentions none that is known.
        database: a file to make it in; one that is gone when the connection is, when not given.

    Raises:
        SqlFileError: a file of `sql/` is not a relation, or files need each other in a circle.
        CacheError: the journal cannot be read, and is needed.
    """
    folder = None
    if database is None:
        folder = tempfile.mkdtemp(prefix="tenkbench-warehouse-")
        database = Path(folder, "warehouse.duckdb")
    try:
        connection = _copied(database, dict(parameters or {}))
    except BaseException:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if folder is not None:
        weakref.finalize(connection, shutil.rmtree, folder, ignore_errors=True)
    try:
        connection.execute("begin")
        raw = _needed(asked)
        for table, row_type in row_types().items():
            if f"raw.{table}" in raw:
                create_raw(connection, row_type, parts.get(table, ()))
        if "raw.cutoffs" in raw:
            create_cutoffs(connection, cutoffs)
        if "raw.journal" in raw:
            create_journal(connection, journal, needs_journal)
        connection.execute("commit")
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
    """Return the rows of each check, by its relation: none if the data holds together."""
    return {
        file.relation: connection.execute(f"from {file.relation}").fetchall()
        for file in sql_files()
        if file.is_check
    }


def keep_rows(connection: duckdb.DuckDBPyConnection, relation: str) -> None:
    """Put a view's rows in its place, so that what is asked of it, or of views over it, does not make them again.

    Args:
        relation: `<folder>.<name>` of a file of `sql/`.
    """
    name = relation.partition(".")[2]
    connection.execute(
        f"begin; create table {relation}_kept as from {relation}; drop view {relation}; "
        f"alter table {relation}_kept rename to {name}; commit"
    )


def _connect(database: Path) -> duckdb.DuckDBPyConnection:
    import duckdb

    return duckdb.connect(
        str(database),
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False},
    )


def _needed(asked: str | None) -> frozenset[str]:
    """The relations of `raw` that a query reads, by itself or through others; all where it mentions none known."""
    available = sql_files()
    needed = in_order(available, asked)
    raw = raw_relations()
    if len(needed) == len(available):
        return raw
    return frozenset(mentioned("\n".join([asked or "", *(file.statement for file in needed)]), raw))


# --- the prepared database -----------------------------------------------------------------


def _copied(database: Path, parameters: Parameters) -> duckdb.DuckDBPyConnection:
    """A new database with every relation of `sql/`, but for those of `raw`."""
    import duckdb

    folder = cache_folder() / "relations"
    name = f"{_fingerprint(parameters)}.duckdb"
    if (folder / name).exists():
        try:
            shutil.copyfile(folder / name, database)
            return _connect(database)
        except (OSError, duckdb.Error):  # damaged, or removed by another process just now: it is made again
            database.unlink(missing_ok=True)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.glob("*.duckdb"):
            if file.stat().st_mtime < time.time() - _FORGOTTEN_S:
                file.unlink(missing_ok=True)
        prepared = _prepare(folder / name, parameters)
    except (OSError, duckdb.IOException):  # whoever can write no cache prepares one for this process
        prepared = _own_folder() / name
        if not prepared.exists():
            _prepare(prepared, parameters)
    shutil.copyfile(prepared, database)
    return _connect(database)


@cache
def _own_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="tenkbench-relations-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _fingerprint(parameters: Parameters) -> str:
    """16 hexadecimal digits that stand for all that a prepared database is made from."""
    import duckdb

    columns = {
        name: str(arrow_schema(row_type)) for name, row_type in {**row_types(), "journal": Purchase}.items()
    }
    texts = [(file.path, file.text) for file in sql_files()]
    code = [
        Path(module).read_text(encoding="utf-8")
        for module in (__file__, raw_tables.__file__, relations.__file__)
    ]
    made_from = [duckdb.__version__, columns, texts, code, dict(parameters)]
    return sha256_hex(canonical_json(made_from))[:16]


def _prepare(file: Path, parameters: Parameters) -> Path:
    """Make the database, whole or not at all."""
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=".making-") as folder:
        made = Path(folder, file.name)
        with _connect(made) as connection:
            connection.execute("create schema raw")
            for row_type in row_types().values():
                create_raw(connection, row_type, ())
            create_cutoffs(connection, ())
            create_journal(connection, None, True)
            for schema in schemas():
                connection.execute(f"create schema {schema}")
            for relation in in_order(sql_files()):
                create_relation(connection, relation, parameters)
            # A view finds what it reads when it is asked, so each warehouse can have its own.
            for name in sorted(raw_relations()):
                connection.execute(f"drop table {name}")
        with made.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(made, file)
    return file
