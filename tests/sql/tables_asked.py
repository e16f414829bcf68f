"""TableQuest's questions in a handmade lake, each of a filing of its own, and their scores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import duckdb

from tasks.core.rows import Case, Judgement, QAPair
from tasks.scoring.results import results_of
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse
from tests.filled import filled
from tests.scored import put_results
from tests.sql.conftest import HandmadeLake

LEVELS = ("easy", "medium", "hard")


def add_case(lake: HandmadeLake, name: str, level: str, variants: tuple[str, ...] = ()) -> None:
    """Add a question in HTML, a case of its name; or in other formats, cases `<name> <format>`."""
    pair = {"qa_pair_id": f"pair of {name}", "context_id": f"context of {name}"}
    lake.add(filled(QAPair, **pair, task=level), suite="tablequest")
    for variant in variants or ("html",):
        case_id = f"{name} {variant}" if variants else name
        case = {"case_id": case_id, "suite": "tablequest", "variant": variant}
        lake.add(filled(Case, **case, **pair, is_answerable=True), suite="tablequest")


def add_verdict(
    lake: HandmadeLake,
    case: str,
    judge: str,
    model: str = "m",
    other: str | None = None,
    details: Mapping[str, Any] | None = None,
    **verdict: Any,
) -> None:
    """Add what a judge says of a model's answer, or of two models'; without a verdict, unscored."""
    named = {"judge": judge, "model": model, "case_id": case, "other_model": other}
    row = Judgement(
        judgement_id=f"{case} {judge} {model} {other}",
        request_id=f"{case} {model}",
        other_request_id=None if other is None else f"{case} {other}",
        details=None if details is None else json.dumps(details),
        **named,
        **(verdict or {"unscored_reason": "no verdict"}),
    )
    lake.add(row, suite="tablequest")


def of_label(label: str | None) -> dict[str, str]:
    """Make a verdict; a label of None is none."""
    return {} if label is None else {"label": label}


@contextmanager
def scored(lake: HandmadeLake) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the warehouse with the results of TableQuest, whose baseline is `base`."""
    with open_warehouse(lake.write()) as connection:
        suite, options = load_suite("tablequest"), {"baseline": "base"}
        results = results_of(connection, suite, "dev", options=options, version=1, tenkbench="")
        put_results(connection, [results])
        yield connection
