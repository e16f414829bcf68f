"""Asking the warehouse what a number was made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tasks.core.errors import RunFailed, WrongUsage
from tasks.core.rows import Case, Citation, Context, Document, Metric, QAPair
from tasks.results.explain.explain import cell_units, find_cell, find_judged, why_missing
from tasks.results.opened import rows_of
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import keep_rows, open_warehouse
from tests.sql.conftest import PERTURBATIONS, HandmadeLake

TEXT = (
    "Hats sell well.\n\n"
    "Revenue was $5 million in the year that ended in May. Costs fell.\n\nNothing else happened."
)
QUOTE = "Revenue was $5 million in the year that ended in May."
SCAN = TEXT.replace("Revenue", "Revnue").replace("year", "ycar")

CELL: dict[str, Any] = {
    "suite": "failsafeqa",
    "release": "dev",
    "model": "m",
    "judge": "j",
    "metric": "robustness",
    "slice_by": "overall",
    "slice_value": "all",
    "n": 1,
    "n_unscored": 0,
    "n_groups": 1,
    "score_id": "",
}
NO_VALUES = dict.fromkeys(("value", "median", "mean", "low", "high", "worst", "best"))


def judged_lake(folder: Path) -> HandmadeLake:
    """A lake of two pairs and two models, one of them with two judges.

    The document of pair `a` is cited; the ocr case of pair `b` was rejected.
    """
    lake = HandmadeLake(folder)
    lake.add_pair("a")
    lake.add_pair("b", perturbations=tuple(name for name in PERTURBATIONS if name != "ocr"))
    pair = next(pair for pair in lake.of(QAPair) if pair.qa_pair_id == "a")
    citation = Citation(
        start_char=TEXT.index(QUOTE), end_char=TEXT.index(QUOTE) + len(QUOTE), quote=QUOTE
    )
    lake.swap(pair, replace(pair, citations=(citation,), citation_text=QUOTE))
    scanned = next(case for case in lake.of(Case) if case.variant == "ocr")
    lake.swap(scanned, replace(scanned, context_id="scan of a"))
    lake.add(
        Document(
            document_id="document",
            filing_id="filing",
            text=TEXT,
            n_tokens=20,
            encoding="cl100k_base",
            items=(),
            paragraphs=(),
        ),
        suite=None,
    )
    context = Context(
        context_id="context of a",
        document_ids=("document",),
        kind="truncated",
        text=TEXT,
        n_tokens=20,
        encoding="cl100k_base",
        start_char=0,
    )
    lake.add(context, replace(context, context_id="scan of a", kind="ocr", text=SCAN))
    lake.judge("a", dict(zip(PERTURBATIONS, (6, 3, 5, 1, None, 6, 2), strict=True)))
    lake.judge("b", {"baseline": 6, "misspelled": 5, "missing_context": 4})
    lake.judge("a", dict.fromkeys(PERTURBATIONS, 5), model="sound")
    lake.judge("a", dict.fromkeys(PERTURBATIONS, 4), model="sound", judge="second")
    return lake


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The warehouse of that lake, scored."""
    lake = judged_lake(tmp_path_factory.mktemp("scored"))
    with lake.open() as connection:
        for relation in ("staging.cell_units", "reports.explain"):
            keep_rows(connection, relation)  # the tests ask for many cells, one by one
        yield connection


def cell(connection: duckdb.DuckDBPyConnection, **wanted: Any) -> Metric:
    defaults = {
        "suite": "failsafeqa",
        "release": None,
        "model": "m",
        "judge": None,
        "metric": "robustness",
    }
    return find_cell(connection, **{**defaults, "slice_name": "overall", **wanted})


def judged(connection: duckdb.DuckDBPyConnection, name: str, **wanted: Any) -> list[dict[str, Any]]:
    defaults = {"suite": "failsafeqa", "release": None, "model": "m", "judge": None}
    return find_judged(connection, name, **{**defaults, **wanted})


# --- cells -------------------------------------------------------------------------------


@pytest.mark.parametrize("counted", [{"n": 1}, {"n": 0, "n_unscored": 2}])
def test_a_cell_that_counts_what_is_not_there_is_no_list_of_nothing(
    connection: duckdb.DuckDBPyConnection, counted: dict[str, int]
) -> None:
    of_another_state = Metric(
        **{**CELL, "slice_by": "filed", "slice_value": "before cutoff", **counted, **NO_VALUES}
    )
    with pytest.raises(RunFailed, match="filed=before cutoff"):
        cell_units(connection, of_another_state)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"model": "sonud"}, "no model 'sonud'; choose from: sound, m"),
        ({"metric": "complience"}, "no metric 'complience'; choose from: compliance,"),
        ({"release": "2026.11"}, "no release '2026.11'; choose from: dev"),
        ({"model": "sound", "judge": "secnd"}, "no judge 'secnd'; choose from: second, j"),
        ({"slice_name": "variant=orc"}, "no slice 'variant=orc'; choose from: "),
    ],
)
def test_an_unknown_name_is_told_what_there_is_closest_first(
    connection: duckdb.DuckDBPyConnection, wanted: dict[str, str], says: str
) -> None:
    with pytest.raises(WrongUsage, match=says):
        cell(connection, **wanted)


def test_metrics_that_are_not_written_yet_are_told(tmp_path: Path) -> None:
    assert why_missing(load_suite("tablequest"), "elo").endswith(": --judge pairwise=MODEL")
    with open_warehouse(judged_lake(tmp_path).write()) as connection:
        with pytest.raises(RunFailed, match="failsafeqa has no metrics yet; `tenkbench run`"):
            cell(connection)
        with pytest.raises(RunFailed, match="--release x-dev"):
            cell(connection, release="x-dev")


def test_units_come_worst_first_with_the_cases_that_decide_them(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    pairs = cell_units(connection, cell(connection))
    assert [(unit.qa_pair_id, unit.score) for unit in pairs] == [("a", 0), ("b", None)]
    assert [(case.variant, case.rating) for case in pairs[0].cases] == [
        ("out_of_domain", 1),
        ("misspelled", 3),
        ("ocr", None),
        ("incomplete", 5),
        ("baseline", 6),
    ]
    assert [case.variant for case in pairs[1].cases] == ["misspelled", "baseline"]

    cases = cell_units(connection, cell(connection, metric="context_grounding"))
    assert [(unit.cases[0].case_id, unit.score) for unit in cases] == [
        ("a.irrelevant_context", 0),
        ("b.missing_context", 1),
        ("a.missing_context", 1),
    ]


def test_the_units_of_every_cell_of_a_model_give_its_value(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    names = ", ".join(field.name for field in fields(Metric))
    query = f"select {names} from reports.metrics where model = 'm' and metric != 'llmc'"
    cells = [Metric(**row) for row in rows_of(connection, query, {})]
    assert {cell.metric for cell in cells} == {"compliance", "robustness", "context_grounding"}
    for cell in cells:
        units = cell_units(connection, cell)
        scores = [unit.score for unit in units if unit.score is not None]
        assert (len(scores), len(units)) == (cell.n, cell.n + cell.n_unscored)
        assert (sum(scores) / len(scores) if scores else None) == pytest.approx(cell.value)
        for unit in units:  # a unit holds if all of its cases do
            if unit.score is not None:
                assert all(case.is_compliant for case in unit.cases) == (unit.score == 1)


# --- cases -------------------------------------------------------------------------------


def test_a_case_is_found_by_its_id_and_a_pairs_cases_by_the_pairs(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    (row,) = judged(connection, "a.misspelled")
    assert (row["rating"], row["original_query"]) == (3, "What was revenue?")
    assert row["citations"][0]["quote"] == QUOTE
    assert [row["variant"] for row in judged(connection, "b")] == [
        "baseline",
        "misspelled",
        "missing_context",
    ]


def test_a_case_that_is_not_there_is_told_from_one_that_is_not_judged_and_one_that_several_judged(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    with pytest.raises(WrongUsage, match="case-1"):
        judged(connection, "case-1")
    with pytest.raises(RunFailed, match="b\\.incomplete"):
        judged(connection, "b.incomplete")
    with pytest.raises(WrongUsage, match="--judge: j, second"):
        judged(connection, "a.ocr", model="sound")
    assert judged(connection, "a.ocr", model="sound", judge="second")[0]["rating"] == 4
