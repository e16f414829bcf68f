"""What every suite's SQL gives, and what follows from it for a metric of any kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tasks.suites.registry import SUITES
from tasks.warehouse.connection import keep_rows, open_warehouse
from tasks.warehouse.sql_files import sql_files
from tests.scored import score_into
from tests.sql.conftest import PERTURBATIONS, HandmadeLake

FILES = sql_files()
SHARED = [file for file in FILES if file.folder in ("macros", "staging", "reports", "checks")]
UNITS = ("case_id", "model", "judge", "metric", "numerator", "denominator")


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
    columns = [name for name, *_ in asked(f"describe {suite}.units")]
    assert {*UNITS, "release"} <= {*columns} <= {*UNITS, "release", "other_model"}


def test_a_lake_unites_its_own_suites_and_needs_nothing_of_others(rated: HandmadeLake) -> None:
    """DuckDB plans what a view unites even if it has no rows."""
    rows = dict(rated.rows)
    rated.move_to("faith")
    rated.rows |= rows
    with rated.open(query="from staging.sums; from longcontext.units") as connection:
        connection.execute("drop view longcontext.units")
        for relation in ("suites.units", "suites.slices"):
            found = connection.execute(f"select distinct suite from {relation} order by suite")
            assert found.fetchall() == [("failsafeqa",), ("faith",)]
        assert connection.execute("from staging.sums").fetchall()


def test_sums_are_those_of_the_units_of_each_cell(rated: HandmadeLake) -> None:
    cell = "model, judge, metric, slice_by, slice_value"
    with rated.open(query="from staging.sums; from staging.cell_units") as connection:
        found = connection.execute(
            f"""select {cell}, sum(n), sum(n_unscored), sum(total), sum(size)
            from staging.sums where draw = 'own' group by all order by all"""
        ).fetchall()
        of_units = connection.execute(
            f"""select {cell}, count(score), count(*) - count(score), coalesce(sum(score), 0),
                count(score)
            from staging.cell_units group by all order by all"""
        ).fetchall()
    assert found == of_units
    assert len({metric for _, _, metric, *_ in found}) == 3


OVERALL = "from faith.metrics where slice_by = 'overall' and model = 'm'"


def test_a_metric_of_fractions_has_an_interval_and_is_compared_but_has_no_bounds(
    rated: HandmadeLake,
) -> None:
    """An F1 of 2TP = 1 over 2TP + FP + FN = 2: what an unscored unit would add is not known."""
    rated.move_to("faith")
    with open_warehouse(rated.write()) as connection:
        keep_rows(connection, "faith.units")
        connection.execute("update faith.units set denominator = if(case_id < 'p3', 2, 3)")
        connection.execute(
            "update faith.units set numerator = null, denominator = null "
            "where case_id = (select min(case_id) from faith.units)"
        )
        score_into(connection)
        found = connection.execute(
            f"""select n, n_unscored, value {OVERALL}
            and worst is null and best is null"""
        ).fetchall()
        assert found == [pytest.approx((41, 1, 41 / 103))]
        ((low, high),) = connection.execute(f"select low, high {OVERALL}").fetchall()
        assert 0 < low < 41 / 103 < high < 1
        ((n, difference, p_mcnemar, p),) = connection.execute(
            """select n, difference, p_mcnemar, p_permutation from reports.comparisons
            where slice_by = 'overall'"""
        ).fetchall()
        assert n == 41
        assert difference > 0  # `other` fails in three filings
        assert p_mcnemar is None
        assert 0 < p < 1


def test_units_of_two_models_answers_are_compared_where_both_met_the_same_one(
    rated: HandmadeLake,
) -> None:
    rated.move_to("faith")
    with open_warehouse(rated.write()) as connection:
        keep_rows(connection, "faith.units")
        connection.execute("alter table faith.units add column other_model varchar")
        connection.execute("update faith.units set other_model = 'rival'")
        score_into(connection)
        ((n,),) = connection.execute(f"select n {OVERALL}").fetchall()
        assert n == 42
        overall = "select model, other_model, n from reports.comparisons where slice_by = 'overall'"
        assert connection.execute(overall).fetchall() == [("m", "other", 42)]
        connection.execute("update faith.units set other_model = model || ' s rival'")
        score_into(connection)
        assert connection.execute(overall).fetchall() == []
