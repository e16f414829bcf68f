"""Questions to the warehouse of a lake."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.core.errors import RunFailed

if TYPE_CHECKING:
    import duckdb

Row = tuple[Any, ...]

# Rows that are taken from DuckDB at a time.
_PORTION = 10_000


class WrongStatement(RunFailed):
    """A statement that DuckDB refuses."""


@contextmanager
def opened_warehouse(
    lake: str, release: str | None, asked: str | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The warehouse of a lake, of one release or all; `asked` as in `open_warehouse`.

    Raises:
        LakeError: there is no such lake or release.
    """
    from tasks.inference.cache.response_cache import cache_of
    from tasks.lake.lake import Lake, LakeError
    from tasks.pipeline.parameters import lake_parameters
    from tasks.warehouse.connection import open_warehouse
    from tasks.warehouse.training_cutoffs import lake_cutoffs

    found = Lake(lake).as_of_now()
    if not found.commits(release):
        what = "no lake" if release is None else f"no release {release}"
        raise LakeError(f"{what} in {found.url}; `tenkbench run` makes one")
    with open_warehouse(
        found.files(release),
        journal=cache_of(lake),
        needs_journal=False,
        parameters=lake_parameters(found, release),
        cutoffs=lake_cutoffs(found, release),
        asked=asked,
    ) as connection:
        yield connection


# A statement with one of these may read what it does not name as `schema.relation`; so may one of several.
_READS_ANY = re.compile(
    r"\b(use|show|describe|attach|search_path|duckdb_\w+|information_schema|pg_\w+|sqlite_\w+)\b|;\s*\S"
)


def relations_named_by(query: str) -> str | None:
    """A query as `asked` of `opened_warehouse`; None where it may read what it does not name."""
    plain = re.sub(r"\s*\.\s*", ".", query.lower().replace('"', ""))
    return None if _READS_ANY.search(plain) else plain


def statements_of(connection: duckdb.DuckDBPyConnection, text: str) -> list[str]:
    """The statements of a text, which semicolons divide; none where there are but comments.

    Raises:
        WrongStatement: the text is no SQL.
    """
    import duckdb

    try:
        return [found.query for found in connection.extract_statements(text)]
    except duckdb.Error as error:
        raise WrongStatement(str(error)) from error


def answered(
    connection: duckdb.DuckDBPyConnection, statement: str
) -> tuple[list[str], Iterator[Row]]:
    """What a statement gives: its columns, and its rows as they are asked for. Nothing but comments gives none.

    Raises:
        WrongStatement: DuckDB refuses it, at once or at some row.
    """
    import duckdb

    try:
        cursor = connection.execute(statement)
    except duckdb.Error as error:
        raise WrongStatement(str(error)) from error
    if cursor is None:  # nothing but blanks or comments
        return [], iter(())

    def rows() -> Iterator[Row]:
        try:
            while portion := cursor.fetchmany(_PORTION):
                yield from portion
        except duckdb.Error as error:
            raise WrongStatement(str(error)) from error

    return [column[0] for column in cursor.description], rows()


def answer(connection: duckdb.DuckDBPyConnection, statement: str) -> tuple[list[str], list[Row]]:
    """The same, all rows at once."""
    columns, rows = answered(connection, statement)
    return columns, list(rows)


def write_parquet(connection: duckdb.DuckDBPyConnection, query: str, target: Path) -> int:
    """The rows of a query as one Parquet file, whole or not at all; returns how many there are.

    Raises:
        WrongStatement: DuckDB refuses the query, or it gives no rows that could be written, or the file cannot
            be written.
    """
    import duckdb

    half_written = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        rows = connection.sql(query)
        if rows is None:
            raise WrongStatement(
                "this statement gives no rows that could be written; --parquet takes a query"
            )
        rows.write_parquet(str(half_written), compression="zstd")
        found = connection.execute(
            "select count(*) from read_parquet(?)", [str(half_written)]
        ).fetchone()
        os.replace(half_written, target)
    except (duckdb.Error, OSError) as error:
        said = str(error).replace(str(half_written), str(target))
        raise WrongStatement(f"{target}: {said}" if isinstance(error, OSError) else said) from error
    finally:
        half_written.unlink(missing_ok=True)
    assert found is not None  # a count is one row
    return int(found[0])
