"""The first sentences say no more than the tests between models allow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from tasks.results.report.measured import (
    OVERALL,
    Measured,
    MetricCell,
    ScoredModel,
    ShownComparison,
)
from tasks.results.report.verdict import verdict


def model(name: str, is_baseline: bool = False) -> ScoredModel:
    return ScoredModel(name, "answer", is_baseline, "openai 1", 70, 0, None, 0, None)


def cell(value: float | None, low: float | None = 0.1, high: float | None = 0.9) -> MetricCell:
    return MetricCell(70, 0, value, low, high, value, value)


def compared(
    one: str,
    other: str,
    difference: float,
    p: float | None,
    detectable: float | None = 0.1,
    n_groups: int = 40,
    off: float = 0.05,
) -> ShownComparison:
    ends = difference - off, difference + off
    return ShownComparison("llmc", one, other, 70, n_groups, difference, *ends, p, detectable)


def saying(
    measured: Measured,
    models: list[ScoredModel],
    cells: list[MetricCell],
    *comparisons: ShownComparison,
) -> str:
    estimates = {(m.name, "llmc", OVERALL): c for m, c in zip(models, cells, strict=True)}
    shown = replace(measured, models=tuple(models), estimates=estimates, comparisons=comparisons)
    return " ".join(verdict(shown))


A, B, C = model("a"), model("b"), model("c")
MANY = [model(name) for name in "abcdefg"]
BEHIND = [compared("a", name, 0.3, 0.001) for name in "bcdefg"]
MUTE = model("mute")
SAID: dict[str, tuple[list[ScoredModel], list[MetricCell], list[ShownComparison]]] = {
    "a lead that a test bears out": (
        [A, B],
        [cell(0.8), cell(0.5)],
        [compared("a", "b", 0.3, 0.004)],
    ),
    "a lead that its own interval denies": (
        [A, B],
        [cell(0.8), cell(0.5)],
        [compared("a", "b", 0.3, 0.001, off=0.31)],
    ),
    "a lead that chance explains": (
        [A, B],
        [cell(0.8), cell(0.7)],
        [compared("a", "b", 0.1, 0.05)],
    ),
    "two that cannot be told apart": (
        [A, B, C],
        [cell(0.8), cell(0.7), cell(0.7)],
        [compared("a", "b", 0.1, 0.5, 0.2), compared("a", "c", 0.1, 0.5, 0.14)],
    ),
    "too few filings for any": (
        [A, B],
        [cell(0.8), cell(0.1)],
        [compared("a", "b", 0.7, 0.0625, None, 5)],
    ),
    "too few filings for three pairs": (
        [A, B, C],
        [cell(0.8), cell(0.1), cell(0.1)],
        [
            compared("a", "b", 0.7, 0.094, 0.6, 6),
            compared("a", "c", 0.7, 0.094, 0.6, 6),
            compared("b", "c", 0.0, 1.0, 0.6, 6),
        ],
    ),
    "no test": ([A, B], [cell(0.8), cell(0.5)], []),
    "one model": ([A], [cell(0.8)], []),
    "a baseline leads": ([model("rules", True), B], [cell(0.8), cell(0.5)], []),
    "no interval": ([A], [cell(0.8, None, None)], []),
    "nothing scored": ([A], [cell(None)], []),
    "over all of many": (MANY, [cell(0.9), *[cell(0.5)] * 6], BEHIND),
    "over most of many": (MANY, [cell(0.9), *[cell(0.5)] * 6], BEHIND[1:]),
    "two of one value before a third": ([A, B, C], [cell(0.8), cell(0.8), cell(0.5)], []),
    "all of one value": ([A, B], [cell(0.8), cell(0.8)], []),
    "one that could not be judged": ([A, MUTE], [cell(0.8), cell(None)], []),
    "one of three that could not be judged": ([A, B, MUTE], [cell(0.8), cell(0.7), cell(None)], []),
    "none could be judged": ([MUTE], [cell(None)], []),
}


@pytest.mark.parametrize("name", SAID)
def test_the_first_sentences(name: str, measured: Measured, snapshot: SnapshotAssertion) -> None:
    models, cells, comparisons = SAID[name]
    if MUTE in models:
        row = {"model": "mute", "judge": measured.judge, "unscored_reason": "no verdict"}
        rows = [row | {"counted_as": "unscored", "n": 70, "n_answers": 70}]
        reports = measured.reports | {"reports.unscored_reasons": rows}
        measured = replace(measured, reports=reports)
    assert saying(measured, models, cells, *comparisons) == snapshot


def test_the_order_in_which_a_pair_was_compared_does_not_matter(measured: Measured) -> None:
    cells = [cell(0.8), cell(0.5)]
    text = saying(measured, [A, B], cells, compared("b", "a", -0.3, 0.004))
    assert text == saying(measured, [A, B], cells, compared("a", "b", 0.3, 0.004))


def test_a_difference_that_points_the_other_way_is_no_lead(measured: Measured) -> None:
    """On the pairs that both are scored on the order can be another than over all."""
    turned = compared("a", "b", -0.1, 0.001)
    assert "larger than chance" not in saying(measured, [A, B], [cell(0.8), cell(0.7)], turned)
