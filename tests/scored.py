"""Results in a warehouse whose lake nobody has scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import duckdb

from tasks.scoring.results import Results, results_of
from tasks.suites.registry import SUITES, load_suite
from tasks.warehouse.connection import replace_rows
from tasks.warehouse.sql_files import in_order, sql_files

RESULTS = ("reports.metrics", "reports.comparisons", "reports.agreements")


def needs_results(query: str) -> bool:
    """Whether a query reads what `score` writes."""
    return any(file.relation in RESULTS for file in in_order(sql_files(), query)) and ("." in query)


def score_into(
    connection: duckdb.DuckDBPyConnection, parameters: Mapping[str, Any] | None = None
) -> None:
    """Score every suite of every release, and put the results in place of those of the lake."""
    asked = connection.execute(
        "select distinct release, suite from raw.judgements union "
        "select distinct release, suite from raw.qa_pairs order by all"
    ).fetchall()
    with as_tables(connection):
        found = [
            results_of(
                connection,
                load_suite(suite),
                release,
                options={**_defaults(suite), **(parameters or {})},
                version=0,
                tenkbench="test",
            )
            for release, suite in asked
            if suite in SUITES
        ]
    put_results(connection, found)


@contextmanager
def as_tables(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Keep what scoring reads as tables meanwhile: in small lakes, planning views takes longest."""
    connection.begin()
    for relation in ("suites.units", "staging.pairs", "staging.sums"):
        connection.execute(
            f"create temp table kept as from {relation}; drop view {relation}; "
            f"create table {relation} as from kept; drop table kept"
        )
    yield
    connection.rollback()


def put_results(connection: duckdb.DuckDBPyConnection, found: Iterable[Results]) -> None:
    """Put results in place of those of the lake."""
    every = list(found)
    for name in Results.__slots__:
        replace_rows(connection, [row for each in every for row in getattr(each, name)])


def _defaults(suite: str) -> dict[str, Any]:
    made = load_suite(suite)
    return {option: getattr(made.options(), option) for option in made.parameters}
