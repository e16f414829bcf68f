"""The authors' metrics, to the last bit of every recorded table."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, get_args

import pytest

from tasks.suites.refusalbench.metrics import calibration, official
from tasks.suites.refusalbench.official import Variant


@pytest.fixture(scope="module")
def tables(shared: Path) -> list[dict[str, Any]]:
    """Tables of results with the metrics that the authors' code makes of them."""
    file = shared / "reference/refusalbench/metrics_cases.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("variant", "n"),
    [*zip(get_args(Variant), (24, 24, 6), strict=True)],
    ids=get_args(Variant),
)
def test_every_recorded_table_is_reproduced(
    tables: list[dict[str, Any]], variant: Variant, n: int
) -> None:
    found = [table for table in tables if variant in table]
    assert len(found) == n
    for table in found:
        assert official(table["rows"], variant) == table[variant], table["id"]


def test_every_recorded_calibration_is_reproduced(tables: list[dict[str, Any]]) -> None:
    subsets = {
        "calibration": lambda row: True,
        "calibration_answer_responses": lambda row: row["model_predicted_type"] == "answer_attempt",
        "calibration_refusal_responses": (
            lambda row: row["model_predicted_type"] != "answer_attempt"
        ),
    }
    found = [(table, name) for table in tables for name in subsets if name in table]
    assert len(found) == 36
    for table, name in found:
        rows = [row for row in table["rows"] if subsets[name](row)]
        assert calibration(rows) == table[name], (table["id"], name)


def row(expected: str, predicted: str, *, match: bool | None, quality: float | None = None) -> Any:
    return {
        "ground_truth_label": expected,
        "model_predicted_type": predicted,
        "answer_quality_score": quality,
        "refusal_match_correct": match,
    }


def test_the_two_implementations_disagree_on_errors() -> None:
    rows = [
        row("REFUSE_NONFACTUAL_QUERY", "ERROR", match=None),
        row("REFUSE_NONFACTUAL_QUERY", "REFUSE_NONFACTUAL_QUERY", match=True),
        row("ANSWER_CORRECTLY", "ERROR", match=None),
        row("ANSWER_CORRECTLY", "answer_attempt", match=None, quality=4.0),
    ]
    first, second = official(rows, "run_models_all"), official(rows, "extract_metrics_final")
    assert (first["refusal_accuracy"], second["refusal_accuracy"]) == (0.5, 1.0)
    assert (first["false_refusal_rate"], second["false_refusal_rate"]) == (0.0, 0.5)
    assert first["accuracy"] == second["answer_accuracy"] == 0.5


def test_without_any_match_their_mean_is_not_a_number() -> None:
    rows = [row("REFUSE_NONFACTUAL_QUERY", "ERROR", match=None)]
    assert math.isnan(official(rows, "extract_metrics_final")["refusal_accuracy"])
    assert official(rows, "run_models_all")["refusal_accuracy"] == 0


def test_replies_without_a_level_have_no_calibration_error() -> None:
    rows = [row("ANSWER_CORRECTLY", "answer_attempt", match=None, quality=5)]
    found = calibration(rows)
    assert found is not None
    assert (found["total_samples"], found["expected_calibration_error"]) == (0, 0)
    assert calibration([]) is None
