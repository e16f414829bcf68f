"""The long-context suite's page, of scripted models on records of a small newsroom."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tasks.core.rows import Case, QAPair
from tasks.results.report.gather import gather, measured_of
from tasks.results.report.measured import Measured
from tasks.results.report.page import page_of
from tasks.results.report.provenance import Provenance
from tasks.suites.judge import Answered
from tasks.suites.longcontext.judge import JUDGES
from tasks.suites.longcontext.rows import PlacedArticle, PlannedRecord
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse
from tests.haystacks import ids
from tests.newsroom import Built
from tests.scored import score_into
from tests.sql.conftest import OK_RESPONSE, HandmadeLake, answer_request

SOURCES = Provenance(
    judges=tuple(JUDGES),
    steps=(),
    packages=(),
    sql=None,
    parameters={},
    first="2024-01-01T00:00:00+00:00",
    last="2024-01-01T00:00:00+00:00",
    is_of_samples=False,
)

Model = Callable[[Case, Sequence[PlacedArticle]], str]


def careful(case: Case, placed: Sequence[PlacedArticle]) -> str:
    """Find everything."""
    return ids(each.number for each in placed if each.kind == "needle")


def forgetful(case: Case, placed: Sequence[PlacedArticle]) -> str:
    """Miss the last third, and list article 1 and one that no text has."""
    found = [each.number for each in placed if each.kind == "needle" and each.depth < 2 / 3]
    return ids([*found, 1, 9_999])


def eager(case: Case, placed: Sequence[PlacedArticle]) -> str:
    """Take two hard negatives in each text."""
    found = [each.number for each in placed if each.kind == "needle"]
    return ids([*found, *[each.number for each in placed if each.kind != "needle"][:2]])


MODELS: dict[str, Model] = {"careful": careful, "forgetful": forgetful, "eager": eager}


def fill(lake: HandmadeLake, built: Built, models: dict[str, Model]) -> None:
    """Put what was built into a lake, with replies and judgements."""
    placed: dict[str, list[PlacedArticle]] = {}
    for each in built.of(PlacedArticle):
        placed.setdefault(each.case_id, []).append(each)
    for row_type, rows in built.found.items():
        if row_type not in (PlannedRecord,):
            lake.add(*rows, suite="longcontext")
    pair = QAPair(qa_pair_id="", context_id="", query="", answer="", task="")
    for case in built.of(Case):
        for name, model in models.items():
            is_single = case.variant == "single"
            said = (
                json.dumps({"fits": case.target})
                if is_single
                else model(case, placed.get(case.case_id, ()))
            )
            request = replace(answer_request(case, name), operation=f"answer_{case.variant}")
            response = replace(
                OK_RESPONSE, request_id=request.request_id, text=said, engine="openai"
            )
            given = [
                Answered(case=case, pair=pair, request=request, response=response, judge=judge)
                for judge in JUDGES
            ]
            judged = [
                row for each in given for row in JUDGES[each.judge].run([each], None, built.options)
            ]
            lake.add(request, response, *judged, suite="longcontext")


def measured_in(folder: Path, built: Built, models: dict[str, Model] | None = None) -> Measured:
    """Measure scripted models on what was built."""
    suite, lake = load_suite("longcontext"), HandmadeLake(folder)
    fill(lake, built, models or MODELS)
    with open_warehouse(lake.write()) as warehouse:
        score_into(warehouse)
        reports = gather(warehouse, suite, "dev", SOURCES.judges, {})
    return measured_of(reports, suite, "dev", judges=SOURCES.judges, parameters={})


def write_page(measured: Measured, file: Path) -> None:
    """Write the page of what was measured."""
    file.write_text(page_of(measured, SOURCES, 1), encoding="utf-8")
