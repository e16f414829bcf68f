"""Intervals and comparisons: against other implementations, and where there is little to go by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import scipy

from tasks.scoring.results import results_of
from tasks.statistics.resampling import draw
from tasks.suites.registry import load_suite
from tests.simulated import KINDS, Units, answered, measured, scoreable
from tests.sql.conftest import judged, rated

BETTER = {"easy": (0.98, 0.95), "hard": (0.85, 0.6)}


def llmc(robustness: Any, grounding: Any) -> Any:
    return 1.25 * robustness * grounding / (0.25 * grounding + robustness)


# --- against other implementations ---------------------------------------------------------


def test_intervals_agree_with_another_implementation() -> None:
    n_filings = 60
    units = answered(3, n_filings, np.random.default_rng(1), (KINDS,))
    found = {(row.judge, row.metric): row for row in measured(units, n_filings)}
    # how often each filing counts: once, then as often as it is drawn
    drawn = np.random.default_rng(5).multinomial(n_filings, [1 / n_filings] * n_filings, 2_000)
    counts = np.vstack([np.ones(n_filings), drawn])
    for experiment in range(3):
        for metric, (value, *draws) in shares(units, experiment, counts).items():
            error = np.std(draws) * np.sqrt(n_filings / (n_filings - 1))
            reach = scipy.stats.t.ppf(0.975, n_filings - 1) * error / (value * (1 - value))
            middle = scipy.special.logit(value)
            bounds = scipy.special.expit([middle - reach, middle + reach])
            row = found[f"j{experiment}", metric]
            assert row.value == pytest.approx(value)
            # two bootstraps of one sample differ by what 1,000 draws leave open
            assert (row.low, row.high) == pytest.approx(tuple(bounds), abs=0.02)


def shares(
    units: Mapping[str, Units], experiment: int, counts: np.ndarray
) -> dict[str, np.ndarray]:
    """Return each metric's value in each draw of filings."""
    found = {}
    for metric in ("robustness", "context_grounding"):
        right = np.bincount(units[metric].group, units[metric].numerator[experiment, 0])
        found[metric] = counts @ right / (counts @ np.bincount(units[metric].group))
    return found | {"llmc": llmc(*found.values())}


def test_differences_are_those_of_numpy_on_the_same_draws() -> None:
    n_groups = 40
    units = answered(1, n_groups, np.random.default_rng(2), (KINDS, BETTER, KINDS))
    made = {"options": {"beta": 0.5}, "version": 0, "tenkbench": ""}
    with scoreable(units, n_groups) as warehouse:
        scored = results_of(warehouse, load_suite("failsafeqa"), "dev", **made)
    found = {
        (row.metric, row.model, row.other_model): row
        for row in scored.comparisons
        if row.slice_by == "overall"
    }
    drawn = np.vstack([np.ones(n_groups), draw(n_groups)])
    for metric, (sums, value) in measures(units).items():
        for one, other in ((0, 1), (0, 2), (1, 2)):
            row = found[metric, f"m{one}", f"m{other}"]
            difference, *replicates = value(sums[one] @ drawn.T) - value(sums[other] @ drawn.T)
            spread = np.std(replicates) * np.sqrt(n_groups / (n_groups - 1))
            # Fisher's transformation: a share's log odds, stretched to -1 and 1
            reach = scipy.stats.t.ppf(0.975, n_groups - 1) * spread / (1 - difference**2)
            low, high = np.tanh([np.arctanh(difference) - reach, np.arctanh(difference) + reach])
            expected = pytest.approx((difference, low, high))
            assert (row.difference, row.low, row.high) == expected, (metric, one, other)
            if metric == "llmc":  # an exchange would test that both parts are alike
                off = difference - low if difference > 0 else high - difference
                t = difference / off * scipy.stats.t.ppf(0.975, n_groups - 1)
                p = max(2 * scipy.stats.t.sf(abs(t), n_groups - 1), 1e-4)
                assert (row.p_permutation, row.p_student) == (None, pytest.approx(p))
            else:
                # 999 exchanges leave that much open
                p = exchanged_p(sums[one], sums[other], value)
                assert (row.p_permutation, row.p_student) == (pytest.approx(p, abs=0.05), None)


def measures(units: Mapping[str, Units]) -> dict[str, tuple[np.ndarray, Callable[..., Any]]]:
    """Map each metric to its models' totals and sizes by group, and to what is made of them."""

    def summed(metric: str) -> np.ndarray:
        group, sizes = units[metric].group, np.bincount(units[metric].group)
        return np.array([[np.bincount(group, top), sizes] for top in units[metric].numerator[0]])

    def share(sums: np.ndarray) -> np.ndarray:
        return sums[0] / sums[1]

    sums = {name: summed(name) for name in ("compliance", "robustness", "context_grounding")}
    both = np.concatenate([sums["robustness"], sums["context_grounding"]], axis=1)
    made = {"llmc": (both, lambda parts: llmc(share(parts[:2]), share(parts[2:])))}
    return {name: (parts, share) for name, parts in sums.items()} | made


def exchanged_p(sums: np.ndarray, other_sums: np.ndarray, value: Callable[..., Any]) -> float:
    """Exchange two models' groups by SciPy; sums are parts x groups."""
    n_groups = sums.shape[1]
    by_place = np.concatenate([sums, other_sums], axis=1)

    def apart(places: np.ndarray, other_places: np.ndarray) -> float:
        one, other = (by_place[:, each].sum(axis=1) for each in (places, other_places))
        return value(one) - value(other)

    groups = np.arange(n_groups)
    found = scipy.stats.permutation_test(
        (groups, groups + n_groups), apart, permutation_type="samples", n_resamples=999, rng=1
    )
    return float(found.pvalue)


# --- where there is little to go by --------------------------------------------------------


def intervals(asked: Callable) -> dict[str, tuple[float | None, ...]]:
    """Map each metric to value, low, high, worst, best; for compliance the baseline's."""
    rows = asked(
        """select metric, value, low, high, worst, best from failsafeqa.metrics
        where (slice_by, slice_value) =
        if(metric = 'compliance', ('variant', 'baseline'), ('overall', 'all'))"""
    )
    return {metric: rest for metric, *rest in rows}


def test_where_all_filings_agree_the_bound_is_the_exact_one(lake, asked) -> None:
    for name in ("a", "b", "c", "d"):
        lake.add_pair(name)
        lake.judge(name, rated(5, 5, 5, 5, 5, 1, 1))
    exact = 0.025 ** (1 / 4)
    found = intervals(asked)
    assert found["compliance"] == pytest.approx([1, exact, 1, 1, 1])
    assert found["robustness"] == pytest.approx([1, exact, 1, 1, 1])
    assert found["context_grounding"] == pytest.approx([0, 0, 1 - exact, 0, 0])
    assert found["llmc"] == pytest.approx([0, 0, llmc(1, 1 - exact), 0, 0])


def test_bounds_of_what_is_unscored(lake, asked) -> None:
    for name, ratings in {"a": (5, 5, 5, 5, 5, 5, None), "b": (None, 5, 5, 5, 5, 1, 5)}.items():
        lake.add_pair(name)
        lake.judge(name, rated(*ratings))
    bounds = {metric: row[3:] for metric, row in intervals(asked).items()}
    assert bounds == {
        "compliance": [0.5, 1],
        "robustness": [0.5, 1],
        "context_grounding": [0.5, 0.75],
        "llmc": pytest.approx([llmc(0.5, 0.5), llmc(1, 0.75)]),
    }


def compared(asked: Callable) -> tuple:
    (row,) = asked(
        "select n, value, other_value, n_only_model, n_only_other, p_mcnemar, low, high, p_holm "
        "from reports.comparisons where model = 'a' and other_model = 'b' "
        "and metric = 'robustness' and slice_by = 'overall'"
    )
    return row


def test_a_comparison_worked_out_by_hand(lake, asked) -> None:
    judged(lake, a="rrrrrrrrrw", b="rrrrrwwwwr", c="rwrwrwrwrw")
    *found, low, high, p_holm = compared(asked)
    p_mcnemar = 0.375  # (1 + 5) * 2 / 32
    assert found == [10, 0.9, 0.6, 4, 1, pytest.approx(p_mcnemar)]
    assert low < 0 < 0.3 < high
    assert p_holm >= p_mcnemar


def test_models_are_compared_on_what_both_are_scored_on(lake, asked) -> None:
    judged(lake, a="rrrrruw", b="rrrwwrw")
    assert compared(asked)[:5] == pytest.approx((6, 5 / 6, 3 / 6, 2, 0))
