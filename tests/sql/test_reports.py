"""The reports on small hand-made lakes, and the figures printed in the paper."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from tasks.core.rows import Judgement, Metric, Reject, ResultSet
from tasks.statistics.resampling import Summed
from tasks.suites.failsafeqa.metrics import llm_compliance
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.sql_files import sql_files
from tests.filled import filled

NAMES = sorted(
    file.relation for file in sql_files() if file.folder == "reports" or file.name == "leaderboard"
)


def test_a_report_of_an_empty_lake_has_its_columns_and_no_rows_of_ours(lake) -> None:
    with lake.open() as empty:
        for relation in NAMES:
            columns = empty.execute(f"describe {relation}").fetchall()
            has_release = "release" in {name for name, *_ in columns}
            ours = "where release is not null" if has_release else ""  # papers have none
            assert empty.execute(f"from {relation} {ours}").fetchall() == [], relation


def test_rejects_are_counted_by_reason(lake, asked) -> None:
    for number, reason in enumerate(["no figure", "no figure", "too long"]):
        of = {"stage": "qa_pairs", "parent_id": f"p{number}"}
        lake.add(Reject(reject_id=f"r{number}", **of, reason=reason, detail="x" * 500))
    rows = asked(
        "select stage, reason, n, example_parent_id, length(example_detail) "
        "from reports.rejects_by_reason"
    )
    assert rows == [("qa_pairs", "no figure", 2, "p0", 100), ("qa_pairs", "too long", 1, "p2", 100)]


def test_unscored_reasons_are_counted_by_perturbation(lake, asked) -> None:
    for name in ("a", "b"):
        lake.add_pair(name)
        lake.judge(name, {"baseline": 5, "ocr": None})
    lake.judge("a", {"baseline": None}, model="other")
    judgement = lake.only(Judgement, model="m", case_id="b.baseline")
    lake.change(judgement, label="unreadable", rating=None, rationale="the reply is empty")
    rows = asked(
        "select model, variant, counted_as, unscored_reason, n, n_answers, example_case_id "
        "from reports.unscored_reasons"
    )
    assert rows == [
        ("m", "baseline", "wrong", "the reply is empty", 1, 4, "b.baseline"),
        ("m", "ocr", "unscored", "no verdict", 2, 4, "a.ocr"),
        ("other", "baseline", "unscored", "no verdict", 1, 1, "a.baseline"),
    ]
    assert asked(
        "select value, n, n_unscored from reports.metrics where metric = 'compliance' "
        "and model = 'm' and slice_by = 'variant' and slice_value = 'baseline'"
    ) == [(0.5, 2, 0)]


def test_only_the_current_results_of_a_release_are_reported(lake) -> None:
    """Releases with the same judgements share a score_id; in one of them it may be an older one."""
    for release, currents in (("2026.08", {"a": False, "b": True}), ("2026.11", {"a": True})):
        for score_id, is_current in currents.items():
            of = {"suite": "failsafeqa", "release": release, "score_id": score_id}
            results = filled(ResultSet, **of, is_current=is_current), filled(Metric, **of)
            lake.add(*results, release=release)
    with open_warehouse(lake.write()) as connection:
        found = connection.execute("select release, score_id from reports.metrics").fetchall()
    assert found == [("2026.08", "b"), ("2026.11", "a")]


# --- the published figures --------------------------------------------------------------


def test_llm_compliance_of_the_printed_r_and_g_is_the_printed_compliance_for_all_24_models(
    asked,
) -> None:
    rows = asked("select llmc, robustness, context_grounding from failsafeqa.paper_models")
    assert len(rows) == 24
    printed, robustness, grounding = np.array(rows, dtype=float).T
    parts = {"robustness": Summed(robustness, 1), "context_grounding": Summed(grounding, 1)}
    assert llm_compliance(parts, beta=0.5) == pytest.approx(printed, abs=0.005)


def test_the_published_table_holds_what_the_paper_prints(shared, asked) -> None:
    """Every printed cell of both tables, read from the paper's source."""
    paper = (shared / "papers" / "000_a91fcbfb82b17fc7.txt").read_text(encoding="utf-8")
    printed: dict[str, list[Decimal]] = {}
    for line in paper.splitlines():
        cells = line.removesuffix("\\\\").split(" & ")
        if len(cells) in (7, 8) and not line.startswith(("%", " ")):
            cells = [
                cell.split("]")[-1].partition("{")[2] if "cellcolor" in cell else cell
                for cell in cells
            ]
            printed.setdefault(cells[0], []).extend(_first_number(cell) for cell in cells[1:])
    rows = asked(
        "select model, baseline, misspelled, incomplete, out_of_domain, ocr, robustness, "
        "irrelevant_context, missing_context, context_grounding_qa, context_grounding_tg, "
        "context_grounding, robustness, llmc from failsafeqa.paper_models"
    )
    found = {model: [Decimal(str(value)) for value in values] for model, *values in rows}
    assert found == printed


def _first_number(cell: str) -> Decimal:
    text = "".join(
        character if character.isdigit() or character == "." else " " for character in cell
    )
    return Decimal(next(word for word in text.split() if "." in word))
