"""Results in a warehouse whose lake nobody has scored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import duckdb
import pytest

from tasks.core.rows import Metric
from tasks.pipeline.resolved import parameters_of
from tasks.scoring import results
from tasks.scoring.results import Results, results_of
from tasks.suites.registry import SUITES, load_suite
from tasks.warehouse.connection import replace_rows
from tasks.warehouse.sql_files import in_order, sql_files

RESULTS = ("reports.metrics", "reports.comparisons", "reports.agreements")
METRIC = Metric(
    suite="failsafeqa",
    release="2026.1",
    model="m",
    judge="j",
    metric="robustness",
    slice_by="overall",
    slice_value="all",
    n=10,
    n_unscored=0,
    n_groups=10,
    value=0.5,
    median=0.5,
    mean=0.5,
    low=0.2,
    high=0.8,
    worst=0.5,
    best=0.5,
    score_id="first",
)


def results_read(query: str) -> set[str]:
    """Return the relations among `RESULTS` that a query reads."""
    if "." not in query:
        return set()
    return {file.relation for file in in_order(sql_files(), query)} & set(RESULTS)


def score_into(
    connection: duckdb.DuckDBPyConnection,
    parameters: Mapping[str, Any] | None = None,
    read: Collection[str] = RESULTS,
) -> None:
    """Score every suite of every release, and put the results in place of those of the lake.

    Comparisons and agreements take longest: they are left out if nobody reads them.
    """
    asked = connection.execute(
        "select distinct release, suite from raw.judgements union "
        "select distinct release, suite from raw.qa_pairs order by all"
    ).fetchall()
    with as_tables(connection), pytest.MonkeyPatch.context() as patched:
        for name in ("comparisons", "agreements"):
            if f"reports.{name}" not in read:
                patched.setattr(results, f"{name}_of", lambda *_, **__: [])
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
    for relation in ("staging.pairs", "staging.subjects", "staging.units", "staging.sums"):
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
    return {option: getattr(made.options(), option) for option in parameters_of(made)}
