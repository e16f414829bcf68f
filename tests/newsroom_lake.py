"""Rows of the long-context suite as relations of `raw`, with its SQL files over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import duckdb
import pyarrow as pa

from tasks.core.rows import Case, Context, Reject, Request
from tasks.core.tables import arrow_schema, table_of, to_record
from tasks.suites.longcontext.rows import ROW_TYPES
from tests.newsroom import Built

FOLDER = files("sql").joinpath("longcontext")
CHECKS = sorted(f.name.removesuffix(".sql") for f in FOLDER.iterdir() if f.name.startswith("check"))


def rows_of(built: Built) -> dict[type, list[Any]]:
    """Return a copy of what was built, to plant faults in."""
    return {row_type: list(rows) for row_type, rows in built.found.items()}


def connect(rows: Mapping[type, Sequence[Any]], *views: str) -> duckdb.DuckDBPyConnection:
    """Open a database of rows, with views of `sql/longcontext`."""
    connection = duckdb.connect()
    connection.execute("create schema raw; create schema longcontext")
    for row_type in (*ROW_TYPES, Case, Context, Reject, Request):
        records = [to_record(row) for row in rows.get(row_type, ())]
        arrow = pa.Table.from_pylist(records, schema=arrow_schema(row_type))
        connection.register("arrow", arrow)
        own = "*" if "suite" in arrow.column_names else "'longcontext' as suite, *"
        name = f"raw.{table_of(row_type).name}"
        connection.execute(f"create table {name} as select 'dev' as release, {own} from arrow")
        connection.unregister("arrow")
    for name in ("shown_articles", *views):
        text = FOLDER.joinpath(f"{name}.sql").read_text(encoding="utf-8")
        connection.execute(f"create view longcontext.{name} as {text}")
    return connection


def faults(rows: Mapping[type, Sequence[Any]]) -> dict[str, int]:
    """Count the rows of each check that finds any."""
    with connect(rows, *CHECKS) as connection:
        counted = {
            name: len(connection.execute(f"from longcontext.{name}").fetchall()) for name in CHECKS
        }
    return {name: n for name, n in counted.items() if n}
