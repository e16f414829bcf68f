"""RefusalBench's derived metrics: against the authors' on their tables, and at the edges."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tasks.statistics.resampling import Summed
from tasks.suites.refusalbench.metrics import METRICS
from tasks.suites.refusalbench.strata import MIDPOINTS

Units = Mapping[str, tuple[float, float]]


def value(name: str, units: Units) -> float:
    """Compute a derived metric of summed units: metric -> (numerator, denominator)."""
    metric = METRICS[name]
    parts = {each: Summed(*(np.array(float(x)) for x in units[each])) for each in metric.of}
    with np.errstate(all="ignore"):
        return float(metric.value(parts))


def units_of(rows: list[dict[str, Any]]) -> Units:
    """Sum the units of a table whose replies are all scored."""
    found: dict[str, np.ndarray[Any, Any]] = defaultdict(lambda: np.zeros(2))
    for row in rows:
        for name, unit in _units_of(row):
            found[name] += unit
    return {name: (total, size) for name, (total, size) in found.items()}


def _units_of(row: dict[str, Any]) -> Iterator[tuple[str, tuple[float, float]]]:
    refused = row["model_predicted_type"] != "answer_attempt"
    matched = row["refusal_match_correct"] is True
    if row["ground_truth_label"] == "ANSWER_CORRECTLY":
        right = not refused and (row["answer_quality_score"] or 0) >= 4
        yield "answer_accuracy", (right, 1)
        yield "detection_f1", (0, refused)
    else:
        right = matched
        yield "refusal_accuracy", (matched, 1)
        yield "detection_f1", (2 * refused, 1 + refused)
        yield "category_accuracy", (matched, refused)
    for level in MIDPOINTS:
        is_at = row.get("confidence_level") == level
        for replies in ("", "refusal_" if refused else "answer_"):
            yield f"{replies}confidence_{level.lower()}", (right * is_at, is_at)


@pytest.fixture(scope="module")
def tables(shared: Path) -> list[dict[str, Any]]:
    """The authors' tables in which every reply has a known code."""
    file = shared / "reference/refusalbench/metrics_cases.jsonl"
    tables = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        each for each in tables if each["kind"] == "nq" and "profile" in each
        and each["profile"] not in ("errors", "odd_codes")
    ]  # fmt: skip


def test_scored_tables_give_what_the_authors_code_gives(tables: list[dict[str, Any]]) -> None:
    assert len(tables) == 21
    for table in tables:
        units, theirs = units_of(table["rows"]), table["extract_metrics_final"]
        if theirs["answerable_instances"] and theirs["unanswerable_instances"]:
            assert value("crs", units) == pytest.approx(theirs["calibrated_refusal_score"])
        if theirs["unanswerable_instances"]:
            assert value("hierarchical_score", units) == pytest.approx(
                theirs["hierarchical_refusal_score"]
            )


def test_scored_tables_have_the_authors_calibration_error(tables: list[dict[str, Any]]) -> None:
    with_levels = [table for table in tables if "calibration" in table]
    assert len(with_levels) == 11
    for table in with_levels:
        units = units_of(table["rows"])
        for name, replies in (
            ("ece", ""),
            ("ece_answers", "_answer"),
            ("ece_refusals", "_refusal"),
        ):
            theirs = table[f"calibration{replies}{'_responses' * bool(replies)}"]
            if theirs is not None:
                found = value(name, units)
                assert found == pytest.approx(theirs["expected_calibration_error"])


def test_crs_weighs_halves_alike_and_the_hybrid_score_by_their_cases() -> None:
    units = {"answer_accuracy": (9.0, 10.0), "refusal_accuracy": (10.0, 40.0)}
    assert value("crs", units) == pytest.approx((0.9 + 0.25) / 2)
    assert value("hybrid_score", units) == pytest.approx(19 / 50)


@pytest.mark.parametrize(
    ("f1", "category", "expected"),
    [
        ((2 * 3, 2 * 3 + 1 + 2), (2, 3), 6 / 9 * 2 / 3),
        ((0, 5), (0, 0), 0.0),  # answers all: no refusal has a category
        ((0, 0), (0, 0), np.nan),  # nothing to refuse, and nothing refused
    ],
)
def test_a_model_that_never_refuses_has_a_hierarchical_score_of_0(
    f1: tuple[int, int], category: tuple[int, int], expected: float
) -> None:
    found = value("hierarchical_score", {"detection_f1": f1, "category_accuracy": category})
    assert found == pytest.approx(expected, nan_ok=True)


def test_an_empty_bin_adds_nothing_and_no_bin_at_all_is_no_number() -> None:
    none = {f"confidence_{level.lower()}": (0.0, 0.0) for level in MIDPOINTS}
    assert np.isnan(value("ece", none))
    assert value("ece", {**none, "confidence_very_confident": (1, 2)}) == pytest.approx(0.45)


def test_metrics_are_computed_for_many_cells_at_once() -> None:
    """As resampling does: replicates x cells."""
    rng = np.random.default_rng(7)
    for name, metric in METRICS.items():
        parts = {each: Summed(*np.sort(rng.random((2, 5, 3)), axis=0)) for each in metric.of}
        found = metric.value(parts)
        assert found.shape == (5, 3), name
        one = {each: Summed(part.total[4, 2], part.size[4, 2]) for each, part in parts.items()}
        assert found[4, 2] == pytest.approx(float(metric.value(one)))
