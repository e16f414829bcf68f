"""What every suite's SQL gives, and what follows from it for a metric of any kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tasks.suites.registry import SUITES
from tasks.warehouse.connection import keep_rows
from tasks.warehouse.sql_files import report_of, sql_files
from tests.sql.conftest import PERTURBATIONS, HandmadeLake

FILES = sql_files()
SHARED = [file for file in FILES if file.folder in ("macros", "staging", "reports", "checks")]
UNITS = {
    "suite": "VARCHAR",
    "release": "VARCHAR",
    "model": "VARCHAR",
    "other_model": "VARCHAR",
    "judge": "VARCHAR",
    "metric": "VARCHAR",
    "unit_id": "VARCHAR",
    "group_id": "VARCHAR",
    "donor_group_id": "VARCHAR",
    "traits": "MAP(VARCHAR, VARCHAR)",
    "numerator": None,
    "denominator": None,
    "case_ids": "VARCHAR[]",
}


@pytest.fixture
def rated(lake: HandmadeLake) -> HandmadeLake:
    """Six filings (here: contexts), a pair each, answered by two models."""
    for number in range(6):
        lake.add_pair(f"p{number}", task="tg" if number % 2 else "qa")
        for model, rating in (("m", 6), ("other", 1 + number)):
            lake.judge(f"p{number}", dict.fromkeys(PERTURBATIONS, rating), model=model)
    return lake


@pytest.mark.parametrize("file", SHARED, ids=lambda file: file.relation)
def test_no_shared_file_names_a_suite(file: Any) -> None:
    named = re.findall(rf"\b(?:{'|'.join(SUITES)})\b", file.text, re.IGNORECASE)
    assert named == []


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_gives_units(suite: str, asked: Callable[..., list[tuple]]) -> None:
    columns = {name: kind for name, kind, *_ in asked(f"describe {suite}.units")}
    assert columns.keys() == UNITS.keys()
    assert {name: kind for name, kind in columns.items() if UNITS[name] is not None} == {
        name: kind for name, kind in UNITS.items() if kind is not None
    }


def test_a_report_is_the_suites_own_or_that_of_all() -> None:
    assert report_of("faith", "labels") == "faith.labels"
    assert report_of("failsafeqa", "comparisons") == "reports.comparisons"


def test_sums_by_bits_are_those_of_the_units(rated: HandmadeLake) -> None:
    columns = "model, judge, metric, slice, group_number, n, n_unscored, total, size, is_share"
    with rated.open() as connection:
        found = connection.execute(f"select {columns} from failsafeqa.sums order by all").fetchall()
        units = "macros.sums('failsafeqa.units')"
        assert found == connection.execute(f"select {columns} from {units} order by all").fetchall()
    assert len({metric for _, _, metric, *_ in found}) == 3


def test_a_metric_that_is_no_share_has_a_value_and_bounds_but_no_interval_and_no_test(
    rated: HandmadeLake,
) -> None:
    rated.move_to("faith")
    cells = "from faith.metrics where slice_by = 'overall' and model = 'm'"
    with rated.open() as connection:
        keep_rows(connection, "faith.units")
        ((n, low),) = connection.execute(f"select n, ci_low {cells}").fetchall()
        assert n == 42
        assert low is not None
        assert connection.execute("select count(*) from reports.comparisons").fetchall() != [(0,)]
        # an F1 of 2TP = 1 over 2TP + FP + FN = 2; one unit is unscored
        connection.execute("update faith.units set denominator = 2")
        connection.execute(
            "update faith.units set numerator = null, denominator = null "
            "where unit_id = (select min(unit_id) from faith.units)"
        )
        found = connection.execute(
            f"select n, n_unscored, value, worst, best, low, high {cells}"
        ).fetchall()
        assert found == [(41, 1, 0.5, pytest.approx(41 / 83), pytest.approx(42 / 83), None, None)]
        assert connection.execute("from reports.comparisons").fetchall() == []


def test_units_of_two_models_answers_count_for_the_one_and_are_compared_with_no_other(
    rated: HandmadeLake,
) -> None:
    rated.move_to("faith")
    with rated.open() as connection:
        keep_rows(connection, "faith.units")
        connection.execute("update faith.units set other_model = 'rival'")
        ((n,),) = connection.execute(
            "select n from faith.metrics where slice_by = 'overall' and model = 'm'"
        ).fetchall()
        assert n == 42
        assert connection.execute("from reports.comparisons").fetchall() == []
