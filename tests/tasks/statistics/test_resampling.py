"""Draws, and the intervals made of them: how often they hold the truth, in simulations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tasks.statistics.intervals import (
    bounded_interval,
    difference_interval,
    share_error,
    share_interval,
    standard_error,
    two_way_error,
)
from tasks.statistics.resampling import REPLICATES, draw, redrawn


def test_as_many_groups_are_drawn_as_there_are_each_time_the_same() -> None:
    draws = draw(20)
    assert draws.shape == (REPLICATES, 20)
    assert (draws.sum(axis=1) == 20).all()
    assert (draw(20) == draws).all()
    assert draws.mean() == 1


def test_the_standard_error_of_a_mean_is_the_textbooks() -> None:
    values = np.random.default_rng(1).normal(size=(25, 3))
    means = draw(25, n_replicates=20_000) @ values / 25
    expected = stats.sem(values, axis=0)
    assert standard_error(means, [25] * 3) == pytest.approx(expected, rel=0.02)


def summed(
    rows: np.ndarray, amounts: np.ndarray, n_groups: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum units by own group, donor and both; rows hold the two groups, -1 for no donor."""
    own, donor = rows.T
    pairs, place = np.unique(rows[donor >= 0], axis=0, return_inverse=True)
    sums = [np.zeros((size, amounts.shape[1])) for size in (n_groups, n_groups, len(pairs))]
    np.add.at(sums[0], own, amounts)
    np.add.at(sums[1], donor[donor >= 0], amounts[donor >= 0])
    np.add.at(sums[2], place.ravel(), amounts[donor >= 0])
    return sums[0], sums[1], sums[2]


def errors_of(rows: np.ndarray, hits: np.ndarray, n: int) -> list[np.ndarray]:
    """The errors of a share: by own group, and by the two ways of `redrawn`."""
    has_donor = (rows[:, 1] >= 0)[:, None]
    ones = np.ones_like(hits)
    own, donor, both = summed(rows, hits, n)
    size, size_of_donors, size_of_both = summed(rows, ones, n)
    mean = np.where(has_donor, hits, 0).sum(axis=0) / max(1, has_donor.sum())
    ways = redrawn(own, size, donor - mean * size_of_donors, both - mean * size_of_both)
    draws = draw(n)
    of_own = standard_error(draws @ own / (draws @ size), n)
    return [of_own, *(standard_error(total / sizes, n) for total, sizes in ways)]


def simulated(
    n_groups: int, share: float, n_units: int, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """300 samples of groups whose own shares vary around the true one; totals and sizes."""
    own = generator.beta(8 * share, 8 * (1 - share), (n_groups, 300))
    return generator.binomial(n_units, own).astype(float), np.full((n_groups, 300), float(n_units))


@pytest.mark.parametrize("n_groups", [8, 20, 60])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_of_intervals_of_a_share_90_to_99_percent_hold_the_truth(
    n_groups: int, share: float
) -> None:
    totals, sizes = simulated(n_groups, share, 6, np.random.default_rng(n_groups))
    draws = draw(n_groups)
    value = totals.sum(axis=0) / sizes.sum(axis=0)
    error = standard_error((draws @ totals) / (draws @ sizes), n_groups)
    error = share_error(error, value, sizes.sum(axis=0), n_groups)
    low, high = share_interval(value, error, n_groups)
    held = np.mean((low <= share) & (share <= high))
    assert 0.90 <= held <= 0.99


@pytest.mark.parametrize(("by_own", "by_donor"), [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (0.5, 2.0)])
def test_of_intervals_with_donors_93_to_98_percent_hold_the_truth(
    by_own: float, by_donor: float
) -> None:
    """Twenty filings, each a donor twice; how hard a case is comes from both."""
    generator, n = np.random.default_rng(11), 20
    rows = np.array([(i, (i + step) % n) for i in range(n) for step in (3, 7)])
    deviates = generator.normal(size=(2, n, 600)) * np.array([by_own, by_donor])[:, None, None]
    logits = deviates[0][rows[:, 0]] + deviates[1][rows[:, 1]]
    hits = (generator.logistic(size=logits.shape) < logits).astype(float)
    errors = errors_of(rows, hits, n)
    low, high = share_interval(hits.mean(axis=0), two_way_error(*errors), n)
    assert 0.93 <= np.mean((low <= 0.5) & (high >= 0.5)) <= 0.98


def test_intervals_stay_in_bounds_and_hold_the_value() -> None:
    share = np.array([0.0, 0.001, 0.5, 0.999, 1.0])
    error = np.array([0.0, 0.001, 0.3, 0.001, 0.0])
    low, high = share_interval(share, error, 20)
    assert ((low >= 0) & (low <= share) & (share <= high) & (high <= 1)).all()
    low, high = difference_interval(np.array([-1.0, 0.0, 1.0]), np.array([0.0, 0.2, 0.0]), 20)
    assert ((low >= -1) & (high <= 1) & (low < high)).all()


def test_where_all_groups_agree_the_bound_is_the_exact_one() -> None:
    low, high = share_interval(1.0, 0.0, 20)
    assert (float(low), float(high)) == (pytest.approx(0.025 ** (1 / 20)), 1)
    clopper = stats.binomtest(20, 20).proportion_ci(0.95, method="exact")
    assert float(low) == pytest.approx(clopper.low)


def test_few_groups_have_no_interval() -> None:
    assert np.isnan(share_error([0.1, 0.0], 0.5, 30, 3)).all()
    assert share_error(0.01, 0.5, 20, 4) == pytest.approx(0.1118, abs=1e-4)
    value = np.array([0.5])
    low, high = bounded_interval(value, np.array([[0.2], [0.9]]), 3)
    assert np.isnan([low, high]).all()
