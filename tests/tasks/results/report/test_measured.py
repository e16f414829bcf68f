from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tasks.results.report.gather import gather, measured_of
from tasks.results.report.measured import Measured
from tasks.results.report.verdict import verdict
from tasks.suites.judge import NO_IMPORTED_ANSWER
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse
from tests.invented_lake import RELEASE, SUITE, Invented, invent


def test_a_case_without_an_imported_answer_is_no_answer(measured: Measured) -> None:
    rows = [("not judged", 3), (NO_IMPORTED_ANSWER, 69)]
    about = {"judge": measured.judge, "counted_as": "unscored"}
    unscored = [about | {"unscored_reason": why, "n": n} for why, n in rows]
    reports = measured.reports | {"reports.unscored_reasons": unscored}
    changed = replace(measured, reports=reports)
    assert (changed.n_answers, changed.n_unscored) == (measured.n_answers - 69, 3)


def test_answers_that_the_judge_was_not_given_count_and_are_told(measured: Measured) -> None:
    last = measured.models[-1]
    estimates = {key: cell for key, cell in measured.estimates.items() if key[0] != last.name}
    changed = replace(measured, estimates=estimates)
    assert last.n_answers == measured.statistics["n_cases"]
    assert changed.n_answers - measured.n_answers == last.n_answers
    assert changed.n_unscored - measured.n_unscored == last.n_answers
    sentence = f"{last.name}: its {last.n_answers:,} answers were not judged by {measured.judge}."
    assert sentence in " ".join(verdict(changed))
    assert sentence not in " ".join(verdict(measured))


def test_slices_are_in_natural_order(measured: Measured) -> None:
    assert measured.slices("fiscal_year", "compliance") == [str(year) for year in range(1996, 2004)]
    assert measured.slices("no such dimension", "compliance") == []


@pytest.mark.parametrize(
    ("dimension", "in_order"),
    [
        ("answer_position", ["first third", "middle third", "last third"]),
        ("context_tokens", ["below 8k", "8k to 16k", "16k to 24k", "24k and more"]),
        ("filed", ["before cutoff", "after cutoff"]),
        ("sector", ["Manufacturing", "Mining", "unknown"]),
    ],
)
def test_slices_that_are_words_have_their_order_too(
    dimension: str, in_order: list[str], measured: Measured
) -> None:
    cell = next(iter(measured.estimates.values()))
    cells = {("m", "compliance", (dimension, value)): cell for value in reversed(in_order)}
    assert replace(measured, estimates=cells).slices(dimension, "compliance") == in_order


def test_the_figures_are_those_of_the_first_judge(tmp_path: Path) -> None:
    lake = invent(
        tmp_path / "lake", Invented(n_filings=2, skill={"only": 1.2}, contrary_judge="zeta")
    )
    values, suite = {}, load_suite(SUITE)
    with open_warehouse(lake.files(RELEASE), parameters={"beta": 0.5}) as warehouse:
        for judges in (["judge-72b", "zeta"], ["zeta", "judge-72b"]):
            rows = gather(warehouse, suite, RELEASE, judges, {})
            about: Any = {"judges": judges, "parameters": {"beta": 0.5}}
            values[judges[0]] = measured_of(rows, suite, RELEASE, **about)
    first, second = values["judge-72b"], values["zeta"]
    assert first.n_answers == second.n_answers == 2 * 2 * 7
    assert first.of("only", "llmc") != second.of("only", "llmc")
    assert first.other_headlines == {("zeta", "only"): second.of("only", "llmc")}
    assert second.other_judges == ("judge-72b",)
    assert first.rule_judges == frozenset()


def test_a_metric_may_be_better_the_lower_it_is(measured: Measured) -> None:
    page = measured.page
    errors = replace(page.metrics["llmc"], is_lower_better=True)
    metrics = {**page.metrics, "llmc": errors}
    suite = replace(measured.suite, page=replace(page, metrics=metrics))
    turned = replace(measured, suite=suite)
    first, last = measured.models[0].name, measured.models[-1].name
    assert (measured.places[first], measured.places[last]) == (1, 3)
    assert (turned.places[first], turned.places[last]) == (3, 1)
    assert {
        row.model for row in turned.compared("llmc") if first in (row.model, row.other_model)
    }.isdisjoint({first})
    assert {row.difference < 0 for row in turned.compared("llmc")} == {True}
