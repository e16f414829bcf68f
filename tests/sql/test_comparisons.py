"""Comparisons of models: against other implementations, and where there is little to go by."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy

from tasks.scoring.results import results_of
from tasks.statistics.resampling import draw
from tasks.suites.registry import load_suite
from tests.simulated import KINDS, PERTURBATIONS, answered, scoreable
from tests.some import some

BETTER = {"easy": (0.98, 0.95), "hard": (0.85, 0.6)}
COLUMNS = (
    "n, value, other_value, difference, low, high, n_only_model, n_only_other, "
    "p_mcnemar, p_permutation, p_student, p_holm, minimum_detectable_difference"
)


# --- against other implementations ---------------------------------------------------------


def test_differences_are_those_of_numpy_on_the_same_draws() -> None:
    n_groups = 40
    units = answered(1, n_groups, np.random.default_rng(2), (KINDS, BETTER, KINDS))
    with scoreable(units, n_groups) as warehouse:
        scored = results_of(
            warehouse,
            load_suite("failsafeqa"),
            "dev",
            options={"beta": 0.5},
            version=0,
            tenkbench="",
        )
    found = {
        (row.metric, row.model, row.other_model): (
            *(row.difference, row.low, row.high, row.p_permutation, row.p_student),
        )
        for row in scored.comparisons
        if row.slice_by == "overall"
    }
    drawn = np.vstack([np.ones(n_groups), draw(n_groups)])

    def summed(metric: str) -> np.ndarray:
        """Totals and sizes; model x 2 x group."""
        of_metric = units[metric]
        sizes = np.bincount(of_metric.group)
        return np.array(
            [[np.bincount(of_metric.group, top), sizes] for top in of_metric.numerator[0]]
        )

    def share(sums: np.ndarray) -> np.ndarray:
        return sums[0] / sums[1]

    def llmc(sums: np.ndarray) -> np.ndarray:
        robustness, grounding = share(sums[:2]), share(sums[2:])
        return 1.25 * robustness * grounding / (0.25 * grounding + robustness)

    robustness, grounding = summed("robustness"), summed("context_grounding")
    measured: dict[str, tuple[np.ndarray, Callable[..., Any]]] = {
        "compliance": (summed("compliance"), share),
        "robustness": (robustness, share),
        "context_grounding": (grounding, share),
        "llmc": (np.concatenate([robustness, grounding], axis=1), llmc),
    }
    for (metric, (sums, value)), (one, other) in some(product(measured.items(), _PAIRS)):
        difference, *replicates = value(sums[one] @ drawn.T) - value(sums[other] @ drawn.T)
        spread = np.std(replicates) * np.sqrt(n_groups / (n_groups - 1))
        # Fisher's transformation: a share's log odds, stretched to -1 and 1
        reach = scipy.stats.t.ppf(0.975, n_groups - 1) * spread / (1 - difference**2)
        low, high = np.tanh([np.arctanh(difference) - reach, np.arctanh(difference) + reach])
        *interval, p_permutation, p_student = found[metric, f"m{one}", f"m{other}"]
        assert interval == pytest.approx([difference, low, high]), (metric, one, other)
        if metric == "llmc":  # an exchange would test that both parts are alike
            off = difference - low if difference > 0 else high - difference
            t = difference / off * scipy.stats.t.ppf(0.975, n_groups - 1)
            expected = max(2 * scipy.stats.t.sf(abs(t), n_groups - 1), 1e-4)
            assert (p_permutation, p_student) == (None, pytest.approx(expected))
            continue
        assert p_student is None
        # 999 exchanges leave that much open
        p = exchanged_p(sums[one], sums[other], value)
        assert p_permutation == pytest.approx(p, abs=0.05), (metric, one, other)


_PAIRS = ((0, 1), (0, 2), (1, 2))


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


def judged(lake: Any, **ratings_of_model: str) -> None:
    """A pair for each letter: r is right under every variant, w wrong, u unscored."""
    rating_of = {"r": 5, "w": 1, "u": None}
    for place in range(len(next(iter(ratings_of_model.values())))):
        lake.add_pair(f"p{place}")
        for model, letters in ratings_of_model.items():
            lake.judge(
                f"p{place}", dict.fromkeys(PERTURBATIONS, rating_of[letters[place]]), model=model
            )


def compared(asked: Callable, metric: str = "robustness") -> dict[str, Any]:
    rows = asked(
        f"select {COLUMNS} from reports.comparisons "
        f"where model = 'a' and other_model = 'b' and metric = '{metric}' and slice_by = 'overall'"
    )
    (row,) = rows
    return dict(zip(COLUMNS.split(", "), row, strict=True))


def test_a_comparison_worked_out_by_hand(lake, asked) -> None:
    judged(lake, a="rrrrrrrrrw", b="rrrrrwwwwr", c="rwrwrwrwrw")
    found = compared(asked)
    assert (found["n"], found["value"], found["other_value"]) == (10, 0.9, 0.6)
    assert found["difference"] == pytest.approx(0.3)
    assert (found["n_only_model"], found["n_only_other"]) == (4, 1)
    assert found["p_mcnemar"] == pytest.approx(0.375)  # (1 + 5) * 2 / 32
    assert found["low"] < 0 < 0.3 < found["high"]
    assert found["p_holm"] >= found["p_mcnemar"]


def test_models_are_compared_on_what_both_are_scored_on(lake, asked) -> None:
    judged(lake, a="rrrrruw", b="rrrwwrw")
    found = compared(asked)
    assert found["n"] == 6
    assert (found["value"], found["other_value"]) == pytest.approx((5 / 6, 3 / 6))
    assert (found["n_only_model"], found["n_only_other"]) == (2, 0)
