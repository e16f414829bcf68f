"""Changes of scores between releases, worked out by hand and with little data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tasks.results.compare.changes import ASKED, score_changes
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import keep_rows
from tests.sql.conftest import judged


def changes(lake: Any, release: str = "old", other_release: str = "new") -> Callable[..., Any]:
    """Score both releases and hold one against the other. Finds a change of a whole metric."""
    suite, options = load_suite("failsafeqa"), {"beta": 0.5}
    with lake.open(query=ASKED) as connection:
        rows = score_changes(connection, release, other_release, suite, options)
    whole = [SimpleNamespace(**row) for row in rows if row["slice_by"] == "overall"]
    by_key = {(row.basis, row.metric, row.model): row for row in whole}
    assert len(by_key) == len(whole)
    return lambda basis, metric="robustness", model="m": by_key[basis, metric, model]


def test_what_both_releases_ask_is_compared_in_pairs(lake) -> None:
    judged(lake, "old", m="rrrrrwwwrr")
    judged(lake, "new", m="rrrrrrrrww")
    judged(lake, "new", 10, m="wwww")
    change = changes(lake)
    found = change("shared")
    assert (found.n, found.other_n) == (10, 10)
    assert (found.value, found.other_value) == (0.7, 0.8)
    assert (found.n_lost, found.n_gained) == (2, 3)
    assert found.p == pytest.approx(1)  # (1 + 5 + 10) * 2 / 32 of McNemar's
    assert not found.is_more_than_noise
    assert change("all").other_value == pytest.approx(8 / 14)


def test_a_case_that_is_put_in_other_words_is_not_what_both_releases_ask(lake) -> None:
    for release in ("old", "new"):
        judged(lake, release, m="rrrwwr")
    cases = {case.case_id: case for case in lake.rows["cases", "new", "failsafeqa"]}
    cases["p0.ocr"] = replace(cases["p0.ocr"], context_id="scanned once more")
    unanswerable = "p1.irrelevant_context"
    cases[unanswerable] = replace(cases[unanswerable], query="What was the weather?")
    lake.rows["cases", "new", "failsafeqa"] = [*cases.values()]
    change = changes(lake)
    assert change("shared", metric="compliance").n == 6 * 7 - 2
    assert change("shared", metric="robustness").n == 5
    assert change("shared", metric="context_grounding").n == 6 * 2 - 1


def test_both_orders_say_the_same(lake) -> None:
    judged(lake, "old", m="rrrrrwwwrr")
    judged(lake, "new", m="rrrrrrrrww")
    forward, backward = changes(lake), changes(lake, "new", "old")
    for basis in ("all", "shared"):
        there, back = forward(basis), backward(basis)
        assert (back.value, back.other_value) == (there.other_value, there.value)
        assert (back.n_lost, back.n_gained) == (there.n_gained, there.n_lost)
        assert (back.change, back.change_low, back.change_high, back.p) == pytest.approx(
            (-there.change, -there.change_high, -there.change_low, there.p)
        )


def test_units_of_two_answers_are_shared_where_the_other_model_is_the_same(lake) -> None:
    for release in ("old", "new"):
        judged(lake, release, m="rrwr")
    count = "select count(*), count(distinct unit) from staging.shared_units"
    with lake.open(query="from staging.shared_units") as connection:
        alone = connection.execute(count).fetchall()
        keep_rows(connection, "failsafeqa.units")
        connection.execute("alter table failsafeqa.units add column other_model varchar")
        connection.execute("update failsafeqa.units set other_model = 'x'")
        assert connection.execute(count).fetchall() == alone != [(0, 0)]
        # against another opponent a unit is another one
        both = "insert into failsafeqa.units select * replace ('y' as other_model)"
        connection.execute(f"{both} from failsafeqa.units where release = 'old'")
        assert connection.execute(count).fetchall() == alone
        connection.execute(f"{both} from failsafeqa.units where release = 'new'")
        assert connection.execute(count).fetchall() == [tuple(2 * n for n in alone[0])]
