"""Questions to the warehouse of a lake."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tasks.errors import RunFailed

if TYPE_CHECKING:
    import duckdb

Answer = tuple[list[str], list[tuple[Any, ...]]]  # columns, rows


class WrongStatement(RunFailed):
    """A statement that DuckDB refuses."""


def answer(connection: duckdb.DuckDBPyConnection, statement: str) -> Answer:
    import duckdb

    try:
        cursor = connection.execute(statement)
        if cursor is None:  # nothing but blanks or comments
            return [], []
        return [column[0] for column in cursor.description], cursor.fetchall()
    except duckdb.Error as error:
        raise WrongStatement(str(error)) from error


@contextmanager
def opened_warehouse(lake: str, release: str | None, beta: float) -> Iterator[duckdb.DuckDBPyConnection]:
    from tasks.store import Lake, LakeError
    from tasks.warehouse import open_warehouse

    found = Lake(lake)
    if not found.commits(release):
        what = "no lake" if release is None else f"no release {release}"
        raise LakeError(f"{what} in {found.root}; `tenkbench run` makes one")
    with open_warehouse(
        found.files(release), journal=found.journal, needs_journal=False, parameters={"beta": beta}
    ) as connection:
        yield connection
