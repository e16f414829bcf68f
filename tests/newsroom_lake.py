"""Rows of the long-context suite as relations of `raw`, with its SQL files over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from tasks.core.rows import Case, Context, Reject, Request
from tasks.core.tables import arrow_schema, table_of, to_record
from tasks.suites.longcontext.rows import ROW_TYPES
from tasks.warehouse.sql_files import sql_files
from tests.newsroom import Built

TEXTS = {file.name: file.text for file in sql_files() if file.folder == "longcontext"}
CHECKS = sorted(name for name in TEXTS if name.startswith("check"))

Rows = Mapping[type, Sequence[Any]]


def rows_of(built: Built) -> dict[type, list[Any]]:
    """Return a copy of what was built, to plant faults in."""
    return {row_type: list(rows) for row_type, rows in built.found.items()}


def connect(releases: Mapping[str, Rows], *views: str) -> duckdb.DuckDBPyConnection:
    """Open a database of the rows of releases, with views of `sql/longcontext`."""
    connection = duckdb.connect()
    connection.execute("create schema raw; create schema longcontext")
    for row_type in (*ROW_TYPES, Case, Context, Reject, Request):
        schema, name = arrow_schema(row_type), f"raw.{table_of(row_type).name}"
        own = "*" if "suite" in schema.names else "'longcontext' as suite, *"
        for number, (release, rows) in enumerate(releases.items()):
            records = [to_record(row) for row in rows.get(row_type, ())]
            connection.register("arrow", pa.Table.from_pylist(records, schema=schema))
            into = f"insert into {name}" if number else f"create table {name} as"
            connection.execute(f"{into} select '{release}' as release, {own} from arrow")
            connection.unregister("arrow")
    for name in ("shown_articles", *views):
        connection.execute(f"create view longcontext.{name} as {TEXTS[name]}")
    return connection


def failed(releases: Mapping[str, Rows]) -> dict[str, set[str]]:
    """Map each release to the checks that it fails."""
    found: dict[str, set[str]] = {release: set() for release in releases}
    with connect(releases, *CHECKS) as connection:
        for name in CHECKS:
            rows = connection.execute(f"select release from longcontext.{name}").fetchall()
            for (release,) in rows:
                found[release].add(name)
    return found
