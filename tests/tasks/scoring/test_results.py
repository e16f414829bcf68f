"""Results of one scoring, and what a frozen release keeps of earlier ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.core.rows import Metric, ResultSet
from tasks.scoring.results import Results, results_of, with_frozen
from tasks.suites.registry import SUITES, load_suite
from tasks.warehouse.connection import open_warehouse
from tests.scored import METRIC, put_results


def scored(score_id: str, *metrics: Metric) -> Results:
    """What one scoring gives."""
    current = ResultSet(
        suite="failsafeqa",
        release="2026.1",
        score_id=score_id,
        version=1,
        tenkbench="1.0",
        models=("m",),
        is_current=True,
    )
    return Results((current,), tuple(replace(row, score_id=score_id) for row in metrics), (), ())


def scored_again(before: Results, now: Results) -> Results:
    return with_frozen(now, before.result_sets, before.metrics)


def reported(results: Results) -> list[tuple[str, float, str]]:
    with open_warehouse({}) as warehouse:
        put_results(warehouse, [results])
        return warehouse.execute(
            "select metric, value, score_id from reports.metrics order by all"
        ).fetchall()


OTHER = replace(METRIC, metric="context_grounding")


def test_numbers_that_do_not_change_leave_one_set() -> None:
    before = scored("first", METRIC, OTHER)
    rounded_otherwise = replace(METRIC, value=0.5 + 1e-12, low=0.2 - 1e-12)
    now = scored("second", rounded_otherwise, OTHER)
    assert scored_again(before, now) == now


def test_a_number_that_changes_is_kept_as_it_was_and_only_the_current_one_is_reported() -> None:
    before = scored("first", METRIC, OTHER)
    found = scored_again(before, scored("second", replace(METRIC, value=0.6), OTHER))
    assert [(each.score_id, each.is_current) for each in found.result_sets] == [
        ("first", False),
        ("second", True),
    ]
    kept = [(row.metric, row.value) for row in found.metrics if row.score_id == "first"]
    assert kept == [("robustness", 0.5)]
    assert reported(found) == [("context_grounding", 0.5, "second"), ("robustness", 0.6, "second")]


@pytest.mark.parametrize(
    "changes", [{"low": 0.3}, {"high": None}, {"n": 11}, {"median": None}, {"best": 0.6}]
)
def test_a_change_of_any_number_of_a_metric_counts(changes: dict[str, float | None]) -> None:
    found = scored_again(scored("first", METRIC), scored("second", replace(METRIC, **changes)))
    assert [row.score_id for row in found.metrics] == ["first", "second"]


def test_a_metric_that_todays_code_does_not_compute_is_kept() -> None:
    found = scored_again(scored("first", METRIC, OTHER), scored("second", METRIC))
    assert [(row.metric, row.score_id) for row in found.metrics] == [
        ("context_grounding", "first"),
        ("robustness", "second"),
    ]
    assert reported(found) == [("robustness", 0.5, "second")]


@pytest.mark.parametrize("suite", SUITES)
def test_a_release_of_nothing_has_a_result_set_and_no_results(suite: str) -> None:
    with open_warehouse({}) as warehouse:
        found = results_of(
            warehouse,
            load_suite(suite),
            "dev",
            options={"beta": 0.5, "baseline": "m"},
            version=1,
            tenkbench="1.0",
        )
    (only,) = found.result_sets
    assert (only.models, only.is_current) == ((), True)
    assert (found.metrics, found.comparisons, found.agreements) == ((), (), ())
