"""Changes of scores between releases: beside other implementations, and with little data.

How often they hold the truth is simulated by `tests/bench/coverage.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import pytest

from tests.simulated import PERTURBATIONS

# --- against other implementations ---------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "n", "other_held", "other_n"), [(9, 10, 3, 10), (56, 70, 48, 80), (5, 5, 0, 7)]
)
def test_the_interval_of_a_change_is_newcombe_s(
    asked: Callable, held: int, n: int, other_held: int, other_n: int
) -> None:
    from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

    (low, high), (other_low, other_high) = (
        proportion_confint(*counts, method="wilson")
        for counts in ((held, n), (other_held, other_n))
    )
    ((found_low, found_high),) = asked(
        f"""select macros.change_low({held / n}, {high}, {other_held / other_n}, {other_low}),
        macros.change_high({held / n}, {low}, {other_held / other_n}, {other_high})"""
    )
    expected = confint_proportions_2indep(
        other_held, other_n, held, n, compare="diff", method="newcomb"
    )
    assert (found_low, found_high) == pytest.approx(expected)


@pytest.mark.parametrize(("n", "other_n"), [(3, 20), (8, 8), (40, 12)])
def test_degrees_of_freedom_are_welch_s(asked: Callable, n: int, other_n: int) -> None:
    from statsmodels.stats.weightstats import ttest_ind

    drawn = np.random.default_rng(n)
    one, other = drawn.normal(0, 1, n), drawn.normal(0, 3, other_n)
    errors = [np.std(values, ddof=1) / np.sqrt(len(values)) for values in (one, other)]
    off, other_off = (
        f"{error} * macros.student_t({size} - 1)"
        for error, size in zip(errors, (n, other_n), strict=True)
    )
    ((found,),) = asked(f"select macros.change_degrees({off}, {n}, {other_off}, {other_n})")
    assert found == pytest.approx(ttest_ind(one, other, usevar="unequal")[2], rel=1e-6)


@pytest.mark.parametrize(("n", "other_n"), [(1, 1), (2, 3), (3, 20), (150, 200)])
def test_no_test_can_be_surer_than_a_permutation_test(
    asked: Callable, n: int, other_n: int
) -> None:
    ((found,),) = asked(f"select macros.permutation_p({n}, {other_n})")
    assert found == pytest.approx(min(1, 2 / comb(n + other_n, n)), rel=1e-9)


# --- by hand -------------------------------------------------------------------------------


def judged(lake: Any, release: str, first: int = 0, **ratings_of_model: str) -> None:
    """Add a pair, of its own filing, per letter: r is right everywhere, w wrong, u unscored."""
    rating_of = {"r": 5, "w": 1, "u": None}
    for place in range(len(next(iter(ratings_of_model.values())))):
        name = f"p{first + place}"
        lake.add_pair(name, release=release)
        for model, letters in ratings_of_model.items():
            ratings = dict.fromkeys(PERTURBATIONS, rating_of[letters[place]])
            lake.judge(name, ratings, model=model, release=release)


COLUMNS = (
    "n", "other_n", "n_groups", "other_n_groups", "value", "other_value", "change", "change_low",
    "change_high", "n_lost", "n_gained", "p", "p_holm", "is_more_than_noise",
)  # fmt: skip


def changes(asked: Callable) -> Callable[..., dict[str, Any]]:
    """Ask for all changes of whole metrics once: one row takes as long. Finds one by its keys."""
    keys = ("basis", "release", "metric", "model")
    rows = asked(
        f"select {', '.join(keys + COLUMNS)} from reports.release_changes where slice_by = 'overall'"
    )
    found = {row[:4]: dict(zip(COLUMNS, row[4:], strict=True)) for row in rows}
    assert len(found) == len(rows)

    def change(
        basis: str, release: str = "old", metric: str = "robustness", model: str = "m"
    ) -> dict[str, Any]:
        return found[basis, release, metric, model]

    return change


def test_releases_that_share_no_filing_are_compared_as_wholes_only(lake, asked) -> None:
    judged(lake, "old", m="rrrrrrrrrw")
    judged(lake, "new", 10, m="wwwwwwwwwwwr")
    found = changes(asked)("all")
    assert (found["n"], found["other_n"], found["n_groups"], found["other_n_groups"]) == (
        10,
        12,
        10,
        12,
    )
    assert (found["value"], found["other_value"]) == (0.9, 1 / 12)
    assert found["change"] == pytest.approx(1 / 12 - 0.9)
    assert found["change_low"] < found["change"] < found["change_high"] < 0
    assert found["is_more_than_noise"]
    assert asked("from reports.release_changes where basis = 'shared'") == []


def test_what_both_releases_ask_is_compared_in_pairs(lake, asked) -> None:
    judged(lake, "old", m="rrrrrwwwrr")
    judged(lake, "new", m="rrrrrrrrww")
    judged(lake, "new", 10, m="wwww")
    change = changes(asked)
    found = change("shared")
    assert (found["n"], found["other_n"], found["value"], found["other_value"]) == (
        10,
        10,
        0.7,
        0.8,
    )
    assert (found["n_lost"], found["n_gained"]) == (2, 3)
    assert found["p"] == pytest.approx(1)  # (1 + 5 + 10) * 2 / 32 of McNemar's
    assert not found["is_more_than_noise"]
    assert change("all")["other_value"] == 8 / 14


def test_a_case_that_is_put_in_other_words_is_not_what_both_releases_ask(lake, asked) -> None:
    for release in ("old", "new"):
        judged(lake, release, m="rrrwwr")
    (case,) = [case for case in lake.rows["cases", "new", "failsafeqa"] if case.case_id == "p0.ocr"]
    cases = lake.rows["cases", "new", "failsafeqa"]
    cases[cases.index(case)] = replace(case, context_id="scanned once more")
    (unanswerable,) = [case for case in cases if case.case_id == "p1.irrelevant_context"]
    cases[cases.index(unanswerable)] = replace(unanswerable, query="What was the weather?")
    change = changes(asked)
    assert change("shared", metric="compliance")["n"] == 6 * 7 - 2
    assert change("shared", metric="robustness")["n"] == 5
    assert change("shared", metric="context_grounding")["n"] == 6 * 2 - 1


@pytest.mark.parametrize("basis", ["all", "shared"])
def test_both_orders_say_the_same(lake, asked, basis) -> None:
    judged(lake, "old", m="rrrrrwwwrr")
    judged(lake, "new", m="rrrrrrrrww")
    change = changes(asked)
    there, back = change(basis), change(basis, release="new")
    assert (back["value"], back["other_value"]) == (there["other_value"], there["value"])
    assert (back["n_lost"], back["n_gained"]) == (there["n_gained"], there["n_lost"])
    assert (back["change"], back["change_low"], back["change_high"], back["p"]) == pytest.approx(
        (-there["change"], -there["change_high"], -there["change_low"], there["p"])
    )


def test_a_release_held_against_itself_made_again_has_not_changed(lake, asked) -> None:
    for release in ("old", "new"):
        judged(lake, release, m="rrrrwwrr")
    change = changes(asked)
    for basis in ("all", "shared"):
        found = change(basis)
        assert (found["change"], found["p"], found["is_more_than_noise"]) == (0, 1, False)


def test_a_change_is_no_surer_than_so_few_filings_can_show(lake, asked) -> None:
    judged(lake, "old", m="rrrr")
    judged(lake, "new", 4, m="wwww")
    assert asked("select macros.permutation_p(4, 4), macros.permutation_p(3, 3)") == [
        pytest.approx((2 / 70, 0.1))
    ]
    assert changes(asked)("all")["p"] >= 2 / 70


@pytest.mark.parametrize("old", ["r", "rrr"])
def test_fewer_than_four_filings_say_nothing_of_others(lake, asked, old: str) -> None:
    judged(lake, "old", m=old)
    judged(lake, "new", len(old), m="wwwwwwww")
    found = changes(asked)("all")
    assert found["change"] == -1
    assert [found[name] for name in ("change_low", "change_high", "p", "is_more_than_noise")] == [
        None
    ] * 4


@pytest.mark.parametrize(("n_filings", "is_told"), [(1, False), (3, False), (4, True)])
def test_fewer_than_four_shared_filings_tell_no_change_from_noise(
    lake, asked, n_filings: int, is_told: bool
) -> None:
    for release in ("old", "new"):
        judged(
            lake, release, m="r" * n_filings if release == "old" else "r" + "w" * (n_filings - 1)
        )
    found = changes(asked)("shared")
    known = [
        found[name] is not None for name in ("change_low", "change_high", "p", "is_more_than_noise")
    ]
    assert known == [is_told] * 4


def test_holm_s_method_is_over_the_models(lake, asked) -> None:
    judged(lake, "old", a="rrrrrrrrrr", b="rrrrrrrrrw")
    judged(lake, "new", 10, a="wwwwwwwwww", b="wrrrrrrrrr")
    change = changes(asked)
    a, b = (change("all", model=model) for model in "ab")
    assert (a["p_holm"], b["p_holm"]) == pytest.approx((2 * a["p"], b["p"]))


def test_only_the_same_model_by_the_same_judge_is_compared(lake, asked) -> None:
    judged(lake, "old", a="rr")
    judged(lake, "new", b="rr")
    lake.judge("p0", dict.fromkeys(PERTURBATIONS, 5), model="a", judge="other", release="new")
    assert asked("from reports.release_changes") == []
