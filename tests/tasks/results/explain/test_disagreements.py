"""Units that only one of two models gets right, as `reports.comparisons` counts them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pytest

from tasks.core.rows import slice_name
from tasks.results.explain.explain import Unit, cell_units, differing, find_cell
from tasks.warehouse.connection import keep_rows
from tests.sql.conftest import PERTURBATIONS, HandmadeLake

N_PAIRS = 8
TASKS = ("qa", "tg")
MODELS = ("bad", "good")


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


def test_counts_are_those_of_the_comparisons(connection: duckdb.DuckDBPyConnection) -> None:
    def units(model: str, metric: str, slice_: str) -> list[Unit]:
        place: Any = {"suite": "failsafeqa", "release": None, "judge": None, "slice_name": slice_}
        return cell_units(connection, find_cell(connection, model=model, metric=metric, **place))

    rows = connection.execute(
        """select metric, slice_by, slice_value, model, other_model, n_only_model, n_only_other
        from reports.comparisons where metric != 'llmc'"""
    ).fetchall()
    assert {"robustness", "compliance", "context_grounding"} == {row[0] for row in rows}
    assert {("overall", "all"), ("task", "qa"), ("variant", "ocr")} <= {row[1:3] for row in rows}
    for metric, slice_by, slice_value, model, other, *numbers in rows:
        name = slice_name(slice_by, slice_value)
        differ = differing(units(model, metric, name), units(other, metric, name))
        scores = [unit.score for unit in differ]
        assert [scores.count(1), scores.count(0)] == numbers
        assert scores == sorted(scores)  # type: ignore[type-var]
    assert sum(row[5] for row in rows) > 0 < sum(row[6] for row in rows)
