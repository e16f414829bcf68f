"""Holding two models' cells against each other; the counts are those of `reports.comparisons`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pytest

from tasks.core.rows import slice_name
from tasks.results.explain.disagreements import Contrast, NotComparable, contrast
from tasks.results.explain.explain import find_cell
from tasks.warehouse.connection import keep_rows
from tests.sql.conftest import PERTURBATIONS, HandmadeLake

N_PAIRS = 8
TASKS = ("qa", "tg")
MODELS = ("bad", "good")
FIGURES = ("difference", "low", "high", "p_holm")


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The warehouse of two models' ratings, some of them missing, scored."""
    lake = HandmadeLake(tmp_path_factory.mktemp("two"))
    chosen = np.random.default_rng(1)
    for place in range(N_PAIRS):
        lake.add_pair(f"p{place}", task=TASKS[place % 2])
        for model, least in zip(MODELS, (1, 3), strict=True):
            ratings = {name: int(chosen.integers(least, 7)) for name in PERTURBATIONS}
            if chosen.random() < 0.5:
                ratings = dict.fromkeys(PERTURBATIONS, 6 if model == MODELS[place % 3 == 0] else 5)
            unscored = {name: None for name in PERTURBATIONS if chosen.random() < 0.05}
            lake.judge(f"p{place}", ratings | unscored, model=model)
    with lake.open() as connection:
        for relation in ("staging.cell_units", "reports.explain"):
            keep_rows(connection, relation)  # the tests ask for many cells, one by one
        yield connection


@pytest.fixture
def held(connection: duckdb.DuckDBPyConnection) -> Callable[..., Contrast]:
    """The contrast of two models on a metric and slice."""

    def of(model: str, other: str, metric: str = "robustness", slice_: str = "overall") -> Contrast:
        cells: list[Any] = [
            find_cell(
                connection,
                suite="failsafeqa",
                release=None,
                model=name,
                judge=None,
                metric=metric,
                slice_name=slice_,
            )
            for name in (model, other)
        ]
        return contrast(connection, *cells)

    return of


def test_counts_are_those_of_the_comparisons(
    connection: duckdb.DuckDBPyConnection, held: Callable[..., Contrast]
) -> None:
    rows = connection.execute(
        """select metric, slice_by, slice_value, model, other_model, n, value, other_value,
            n_only_model, n_only_other, difference, low, high, p_holm
        from reports.comparisons where metric != 'llmc'"""
    ).fetchall()
    assert {"robustness", "compliance", "context_grounding"} == {row[0] for row in rows}
    assert {("overall", "all"), ("task", "qa"), ("variant", "ocr")} <= {row[1:3] for row in rows}
    turned_round = set()
    for metric, slice_by, slice_value, model, other, n, value, other_value, *only in rows:
        n_only_model, n_only_other, *test = only
        name = slice_name(slice_by, slice_value)
        found = held(model, other, metric, name)
        assert (found.n, found.n_only_model, found.n_only_other) == (n, n_only_model, n_only_other)
        assert len(found.units) == n_only_model + n_only_other
        assert (found.n_both + found.n_only_model) / n == pytest.approx(value)
        assert (found.n_both + found.n_only_other) / n == pytest.approx(other_value)
        assert found.tested == dict(zip(FIGURES, test, strict=True))
        if metric not in turned_round:
            turned_round.add(metric)
            turned = held(other, model, metric, name)
            assert (turned.n_only_model, turned.n_only_other) == (n_only_other, n_only_model)
            signs = [-test[0], -test[2], -test[1], test[3]]
            assert turned.tested == dict(zip(FIGURES, signs, strict=True))
    assert sum(row[8] for row in rows) > 0 < sum(row[9] for row in rows)


def test_what_fails_for_the_first_model_comes_first(held: Callable[..., Contrast]) -> None:
    units = held("bad", "good", "compliance").units
    scores = [unit.score for unit, _ in units]
    assert set(scores) == {0, 1}
    assert scores == sorted(scores)  # type: ignore[type-var]
    failed = [unit.cases[0].rating for unit, _ in units if unit.score == 0]
    assert failed == sorted(failed)  # type: ignore[type-var]
    for unit, other in units:
        assert unit.unit_id == other.unit_id
        assert unit.cases[0].case_id == other.cases[0].case_id
        assert unit.score != other.score


@pytest.mark.parametrize("name", ["release", "judge"])
def test_cells_of_two_releases_or_judges_are_not_held_against_each_other(
    name: str, connection: duckdb.DuckDBPyConnection, held: Callable[..., Contrast]
) -> None:
    found = held("bad", "good")
    elsewhere: Any = {name: "another"}
    with pytest.raises(
        NotComparable, match=f"good only another; name one that both have with --{name}"
    ):
        contrast(connection, found.cell, replace(found.other_cell, **elsewhere))


def test_what_has_no_units_of_two_models_cannot_be_held_against_each_other(
    held: Callable[..., Contrast],
) -> None:
    with pytest.raises(NotComparable, match="good with itself"):
        held("good", "good")
    with pytest.raises(NotComparable, match="context_grounding or robustness"):
        held("good", "bad", "llmc")
