"""Intervals: against another implementation, and where there is little to go by."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
import scipy

from tests.simulated import KINDS, PERTURBATIONS, Units, answered, measured

N_FILINGS = 60


def test_intervals_agree_with_another_implementation() -> None:
    units = answered(3, N_FILINGS, np.random.default_rng(1), (KINDS,))
    found = {(row.judge, row.metric): row for row in measured(units, N_FILINGS)}
    for experiment in range(3):
        for metric, (value, low, high) in resampled(units, experiment).items():
            row = found[f"j{experiment}", metric]
            assert row.value == pytest.approx(value)
            # two bootstraps of one sample differ by what 1,000 draws leave open
            assert (row.low, row.high) == pytest.approx((low, high), abs=0.02)


def resampled(units: Mapping[str, Units], experiment: int) -> dict[str, tuple[float, float, float]]:
    """Return each metric's (value, low, high): numpy draws filings, each draw is measured whole."""
    chosen = np.random.default_rng(5)
    # how often each filing counts: once, then as often as it is drawn
    counts = np.vstack(
        [np.ones(N_FILINGS), chosen.multinomial(N_FILINGS, [1 / N_FILINGS] * N_FILINGS, 2_000)]
    )
    shares = {}
    for metric in ("robustness", "context_grounding"):
        right = np.bincount(units[metric].group, units[metric].numerator[experiment, 0])
        shares[metric] = counts @ right / (counts @ np.bincount(units[metric].group))
    robustness, grounding = shares.values()
    shares["llmc"] = 1.25 * robustness * grounding / (0.25 * grounding + robustness)
    found = {}
    for metric, (value, *draws) in shares.items():
        standard_error = np.std(draws) * np.sqrt(N_FILINGS / (N_FILINGS - 1))
        reach = scipy.stats.t.ppf(0.975, N_FILINGS - 1) * standard_error / (value * (1 - value))
        found[metric] = (
            value,
            scipy.special.expit(scipy.special.logit(value) - reach),
            scipy.special.expit(scipy.special.logit(value) + reach),
        )
    return found


def intervals(asked: Callable) -> dict[str, tuple[float | None, ...]]:
    """Map each metric to value, low, high, worst, best; for compliance the baseline's."""
    rows = asked(
        """select metric, value, low, high, worst, best from failsafeqa.metrics
        where (slice_by, slice_value) =
        if(metric = 'compliance', ('variant', 'baseline'), ('overall', 'all'))"""
    )
    return {metric: rest for metric, *rest in rows}


def rated(*ratings: int | None) -> dict[str, int | None]:
    return dict(zip(PERTURBATIONS, ratings, strict=True))


def test_where_all_filings_agree_the_bound_is_the_exact_one(lake, asked) -> None:
    for name in ("a", "b", "c", "d"):
        lake.add_pair(name)
        lake.judge(name, rated(5, 5, 5, 5, 5, 1, 1))
    exact = 0.025 ** (1 / 4)
    found = intervals(asked)
    assert found["compliance"] == pytest.approx([1, exact, 1, 1, 1])
    assert found["robustness"] == pytest.approx([1, exact, 1, 1, 1])
    assert found["context_grounding"] == pytest.approx([0, 0, 1 - exact, 0, 0])
    both = 1.25 * (1 - exact) / (0.25 * (1 - exact) + 1)
    assert found["llmc"] == pytest.approx([0, 0, both, 0, 0])


def test_bounds_of_what_is_unscored(lake, asked) -> None:
    for name, ratings in (
        ("a", rated(5, 5, 5, 5, 5, 5, None)),
        ("b", rated(None, 5, 5, 5, 5, 1, 5)),
    ):
        lake.add_pair(name)
        lake.judge(name, ratings)
    found = intervals(asked)
    assert found["compliance"][3:] == [0.5, 1]
    assert found["robustness"][3:] == [0.5, 1]
    assert found["context_grounding"][3:] == [0.5, 0.75]
    worst, best = (1.25 * r * g / (0.25 * g + r) for r, g in ((0.5, 0.5), (1, 0.75)))
    assert found["llmc"][3:] == pytest.approx([worst, best])
