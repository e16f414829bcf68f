"""Paired tests against SciPy and statsmodels on random data, and the cases that have no test.

Tests import statsmodels themselves: it takes a second, and every test worker imports this file.
"""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy import stats

from tasks.statistics.intervals import change_interval, difference_interval, student_interval
from tasks.statistics.paired import (
    change_p,
    detectable_difference,
    exchange_p,
    holm,
    mcnemar_p,
    student_p,
)


def test_mcnemar_is_that_of_statsmodels() -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    few = np.random.default_rng(1).integers(0, 60, (200, 2))
    counts = np.concatenate([few, [[500, 600], [49_500, 50_500], [50_000, 50_001]]])
    expected = [mcnemar([[0, one], [other, 0]], exact=True).pvalue for one, other in counts]
    assert mcnemar_p(*counts.T) == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert mcnemar_p(50_000, 50_000) == 1
    assert mcnemar_p(0, 0) == 1
    assert mcnemar_p(1, 6) == 0.125


def test_every_exchange_of_few_groups_is_that_of_scipy() -> None:
    generator = np.random.default_rng(2)
    for _ in range(200):
        n_groups = int(generator.integers(2, 9))
        sizes = generator.integers(1, 9, n_groups).astype(float)
        one, other = generator.binomial(sizes.astype(int), 0.6, (2, n_groups)).astype(float)
        expected = stats.permutation_test(
            (one - other,), np.sum, permutation_type="samples", n_resamples=np.inf
        ).pvalue
        (found,) = exchange_p((one - other)[:, None])
        assert found == pytest.approx(expected, abs=1e-9)


def test_p_of_students_t_is_005_where_the_interval_ends_at_0() -> None:
    generator = np.random.default_rng(7)
    difference, error = generator.uniform(-0.9, 0.9, 2_000), generator.uniform(0.01, 0.5, 2_000)
    n_groups = generator.integers(7, 60, 2_000)
    for ends in (difference_interval, student_interval):
        low, high = ends(difference, error, n_groups)
        p = student_p(difference, (low, high), n_groups)
        assert ((p <= 0.05) == ((low > 0) | (high < 0))).all()
        assert 0.2 < np.mean(p <= 0.05) < 0.8


def test_p_of_a_mean_is_that_of_scipys_t_test() -> None:
    values = np.random.default_rng(8).normal(0.3, 1, 25)
    found = student_p(values.mean(), student_interval(values.mean(), stats.sem(values), 25), 25)
    assert found == pytest.approx(stats.ttest_1samp(values, 0).pvalue)


@pytest.mark.parametrize(("n_groups", "least"), [(1, 1), (3, 0.25), (6, 2 / 2**6), (40, 1e-4)])
def test_no_p_is_below_what_so_few_groups_can_show(n_groups: int, least: float) -> None:
    for low in (0.4, 0.4 - 1e-9, np.nan):
        assert student_p(0.4, (low, 0.5), n_groups) == pytest.approx(least)
    assert np.isnan(student_p(np.nan, (0.1, 0.2), n_groups))


def test_under_no_difference_p_is_uniform_at_least() -> None:
    generator = np.random.default_rng(8)
    one, other = generator.binomial(8, generator.beta(2, 2, (20, 400)), (2, 20, 400)).astype(float)
    p = exchange_p(one - other)
    assert 0.02 <= np.mean(p <= 0.05) <= 0.08


def test_holm_is_that_of_statsmodels(monkeypatch: pytest.MonkeyPatch) -> None:
    from statsmodels.stats.multitest import multipletests

    # each call searches all memory for garbage: minutes, where a worker holds much
    monkeypatch.setattr("gc.collect", lambda: 0)
    generator = np.random.default_rng(9)
    for _ in range(200):
        p = generator.uniform(0, 1, int(generator.integers(1, 40))) ** 3
        assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-9)
    assert holm([0.01, np.nan, 0.03]) == pytest.approx([0.02, np.nan, 0.03], nan_ok=True)


def test_the_detectable_difference_has_nearly_the_power_that_it_names() -> None:
    from statsmodels.stats.power import TTestPower

    for n_groups in (10, 20, 60):
        distance = float(detectable_difference(1 / np.sqrt(n_groups), n_groups))
        assert TTestPower().power(distance, n_groups, 0.05) == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(
    ("held", "n", "other_held", "other_n"), [(9, 10, 3, 10), (56, 70, 48, 80), (5, 5, 0, 7)]
)
def test_the_interval_of_a_change_is_newcombes(
    held: int, n: int, other_held: int, other_n: int
) -> None:
    from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

    one, other = (
        (k / size, proportion_confint(k, size, method="wilson"))
        for k, size in ((held, n), (other_held, other_n))
    )
    expected = confint_proportions_2indep(
        other_held, other_n, held, n, compare="diff", method="newcomb"
    )
    assert change_interval(*one, *other) == pytest.approx(expected)


def test_a_change_has_p_5_percent_where_its_interval_ends_at_0() -> None:
    low, _ = change_interval(0.5, (0.4, 0.6), 0.7, (0.6, 0.8))
    moved = 0.7 - float(low)
    p = change_p(0.5, (0.4, 0.6), 20, moved, (moved - 0.1, moved + 0.1), 30)
    assert p == pytest.approx(0.05)
    assert change_p(0.5, (0.4, 0.6), 20, 0.5, (0.1, 0.8), 30) == 1


@pytest.mark.parametrize(("n", "other_n"), [(4, 4), (4, 20), (150, 200)])
def test_a_change_is_no_surer_than_a_permutation_test_can_be(n: int, other_n: int) -> None:
    surest = change_p(0.0, (0.0, 1e-40), n, 1.0, (1.0, 1.0), other_n)
    assert surest == pytest.approx(2 / comb(n + other_n, n), rel=1e-9, abs=0)
