"""SQL on the warehouse of a lake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from tasks.core.errors import RunFailed

if TYPE_CHECKING:
    import duckdb

Row = tuple[Any, ...]

_PORTION = 10_000  # rows fetched from DuckDB at a time


class WrongStatement(RunFailed):
    """DuckDB rejects a statement."""


@contextmanager
def _errors_of_duckdb() -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise WrongStatement(_with_our_names(str(error))) from error


def _with_our_names(error: str) -> str:
    """Suggest our relations for one that does not exist, instead of DuckDB's own."""
    from tasks.warehouse.comments import grains

    _, _, rest = error.partition("Table with name ")
    name, is_unknown, _ = rest.partition(" does not exist!")
    if not is_unknown:
        return error
    names = {relation.rpartition(".")[2] for relation in grains()}
    alike = get_close_matches(name.lower(), names)
    near = [relation for relation in grains() if relation.rpartition(".")[2] in alike[:1]]
    near.sort(key=lambda relation: not relation.startswith("reports."))
    meant = f" Did you mean {' or '.join(near[:2])}?" if near else ""
    return f"No relation '{name}'.{meant} To list all: tenkbench sql \".tables\""


# What people type into other shells, besides SQL.
_TABLES = re.compile(r"(?:\.tables(?:\s+(?P<schema>\w+))?|show\s+tables)\s*;?", re.IGNORECASE)
_SCHEMA = re.compile(r"\.schema\s+(?P<relation>[\w.]+)\s*;?", re.IGNORECASE)

# Such a statement, or one of several, may read relations that it does not name.
_READS_ANY = re.compile(
    r"\b(use|show|pragma|describe|export|attach|search_path|duckdb_\w+|information_schema|pg_\w+|sqlite_\w+)\b|;\s*\S"
)


def relations_named_by(query: str) -> str | None:
    """Return the query as `asked`, or None if it may read others."""
    if _TABLES.fullmatch(query.strip()):
        return "raw.cases"  # for its suites
    plain = re.sub(r"\s*\.\s*", ".", query.lower().replace('"', ""))
    return None if _READS_ANY.search(plain) else plain


def statements_of(connection: duckdb.DuckDBPyConnection, text: str) -> list[str]:
    """Split a text at its semicolons; comments alone give no statement.

    Raises:
        WrongStatement: the text is not SQL.
    """
    with _errors_of_duckdb():
        return [statement.query for statement in connection.extract_statements(text)]


def listing(connection: duckdb.DuckDBPyConnection, text: str) -> tuple[list[str], list[Row]] | None:
    """Answer `.tables`, `.tables SCHEMA`, `show tables` and `.schema RELATION`; None for SQL.

    Raises:
        WrongStatement: there is no such schema or relation.
    """
    from tasks.warehouse.comments import grains, meaning

    if match := _SCHEMA.fullmatch(text.strip()):
        relation = match["relation"]
        _, columns = answer(connection, f"describe {relation}")
        rows: list[Row] = []
        for name, kind, *_ in columns:
            comment = meaning(relation.lower(), name)
            rows.append((name, kind, comment and comment[1]))
        return ["column", "type", "what it is"], rows
    if match := _TABLES.fullmatch(text.strip()):
        schema = match["schema"]
        _, suites = answer(connection, "select distinct suite from raw.cases order by suite")
        schemas = [schema.lower()] if schema else ["reports", *(suite for (suite,) in suites)]
        rows = [
            (relation, grain)
            for name in schemas
            for relation, grain in grains().items()
            if relation.startswith(f"{name}.") and (schema or ".check_" not in relation)
        ]
        if not rows:
            known = dict.fromkeys(relation.partition(".")[0] for relation in grains())
            raise WrongStatement(f"No schema '{schema}'. Choose from: {', '.join(known)}.")
        return ["relation", "what it holds"], rows
    return None


def answer_each(
    connection: duckdb.DuckDBPyConnection, text: str
) -> Iterator[tuple[list[str], Iterable[Row]]]:
    """Yield the columns and rows of each statement of a text, or of its listing.

    Raises:
        WrongStatement: DuckDB rejects it, or there is none.
    """
    if listed := listing(connection, text):
        yield listed
        return
    statements = statements_of(connection, text)
    if not statements:
        raise WrongStatement(
            "There is nothing to run: the query holds no statement. Give one, such as:\n"
            '    tenkbench sql "from reports.metrics"'
        )
    for statement in statements:
        yield answered(connection, statement)


def answered(
    connection: duckdb.DuckDBPyConnection, statement: str
) -> tuple[list[str], Iterator[Row]]:
    """Return a statement's columns and an iterator over its rows, if any.

    Raises:
        WrongStatement: DuckDB rejects it, at once or at some row.
    """
    with _errors_of_duckdb():
        cursor = connection.execute(statement)
    if cursor is None:  # only whitespace or comments
        return [], iter(())

    def rows() -> Iterator[Row]:
        with _errors_of_duckdb():
            while portion := cursor.fetchmany(_PORTION):
                yield from portion

    return [column[0] for column in cursor.description], rows()


def answer(connection: duckdb.DuckDBPyConnection, statement: str) -> tuple[list[str], list[Row]]:
    """Return a statement's columns and all its rows, as `answered` does."""
    columns, rows = answered(connection, statement)
    return columns, list(rows)
