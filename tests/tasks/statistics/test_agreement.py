"""Agreement of two raters against SciPy and statsmodels on random tables, and worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tasks.statistics.agreement import agreement, kappa, kendall, pearson, spearman

N_TABLES = 200
LABELS = np.arange(1, 7)


@pytest.fixture(scope="module")
def tables() -> np.ndarray:
    """200 tables of two raters' ratings 1 to 6, from sparse to full."""
    generator = np.random.default_rng(7)
    scale = generator.uniform(0.2, 30, (N_TABLES, 1, 1))
    leaning = 1 + 4 * np.eye(6) * generator.uniform(0, 1, (N_TABLES, 1, 1))
    return generator.poisson(scale * leaning / 4).astype(float)


def ratings(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The units of a table, one by one: each rater's labels."""
    counts = table.astype(int).ravel()
    one, other = (
        np.repeat(each.ravel(), counts) for each in np.meshgrid(LABELS, LABELS, indexing="ij")
    )
    return one, other


@pytest.mark.parametrize(("weights", "wt"), [("none", None), ("quadratic", "quadratic")])
def test_kappa_is_that_of_statsmodels(tables: np.ndarray, weights: str, wt: str | None) -> None:
    # a second, and every test worker imports this file
    from statsmodels.stats.inter_rater import cohens_kappa

    expected = [cohens_kappa(table, wt=wt, return_results=False) for table in tables]
    assert kappa(tables, weights) == pytest.approx(expected, abs=1e-9)


def test_correlations_are_those_of_scipy(tables: np.ndarray) -> None:
    units = [ratings(table) for table in tables]
    for ours, theirs in (
        (pearson(tables, LABELS), stats.pearsonr),
        (spearman(tables), stats.spearmanr),
        (kendall(tables), stats.kendalltau),
    ):
        assert ours == pytest.approx([theirs(*each).statistic for each in units], abs=1e-9)


def test_worked_examples() -> None:
    assert agreement([[3, 1], [0, 1]]) == 0.8
    assert kappa([[20, 5], [10, 15]]) == pytest.approx(0.4)
    assert pearson([[2, 0], [0, 3]], [1, 6]) == pytest.approx(1)
    assert spearman([[0, 2], [2, 0]]) == pytest.approx(-1)
    assert kendall([[0, 2], [2, 0]]) == pytest.approx(-1)


def test_without_variation_there_is_no_kappa_and_no_correlation() -> None:
    one_label = np.array([[0.0, 0.0], [0.0, 5.0]])
    assert agreement(one_label) == 1
    for found in (
        kappa(one_label),
        kappa(one_label, "quadratic"),
        pearson(one_label, [1, 2]),
        spearman(one_label),
        kendall(one_label),
    ):
        assert np.isnan(found)


def test_weights_count_as_units_do(tables: np.ndarray) -> None:
    for statistic in (kappa, spearman, kendall):
        assert statistic(tables * 0.25) == pytest.approx(statistic(tables), abs=1e-12)
