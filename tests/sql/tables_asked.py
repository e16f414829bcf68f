"""TableQuest's questions in a handmade lake, each of a filing of its own, and their scores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from tasks.core.rows import Case, QAPair
from tasks.scoring.results import results_of
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse
from tests.scored import put_results
from tests.sql.conftest import HandmadeLake


def add_case(lake: HandmadeLake, name: str, level: str, variants: tuple[str, ...] = ()) -> None:
    """Add a question in HTML, a case of its name; or in other formats, cases `<name> <format>`."""
    pair = QAPair(
        qa_pair_id=f"pair of {name}",
        context_id=f"context of {name}",
        query="?",
        answer="5%",
        task=level,
    )
    lake.add(pair, suite="tablequest")
    for variant in variants or ("html",):
        case = Case(
            case_id=f"{name} {variant}" if variants else name,
            qa_pair_id=pair.qa_pair_id,
            suite="tablequest",
            variant=variant,
            query="?",
            context_id=pair.context_id,
            target="5%",
            is_answerable=True,
        )
        lake.add(case, suite="tablequest")


@contextmanager
def scored(lake: HandmadeLake) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the warehouse with the results of TableQuest, whose baseline is `base`."""
    with open_warehouse(lake.write()) as connection:
        suite, options = load_suite("tablequest"), {"baseline": "base"}
        results = results_of(connection, suite, "dev", options=options, version=1, tenkbench="")
        put_results(connection, [results])
        yield connection
