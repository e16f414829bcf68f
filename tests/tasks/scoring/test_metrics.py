"""Metrics of units whose population is known, by their whole way from units to rows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulated import (
    KINDS,
    Leaning,
    Units,
    answered,
    f1_of,
    figures_found,
    measured,
    population,
    with_donors,
)

N_FILINGS = 20


def units_of(group: list[int], top: list[float], bottom: list[float]) -> Units:
    """One experiment's units of one model."""
    numerator, denominator = (np.array([[each]], dtype=np.float64) for each in (top, bottom))
    return Units(numerator, denominator, np.array(group), np.full(len(group), -1))


def test_of_intervals_of_a_ratio_90_to_99_percent_hold_the_truth() -> None:
    kinds = {"easy": (0.9, 0.1), "hard": (0.5, 0.4)}
    units = figures_found(200, N_FILINGS, np.random.default_rng(3), (kinds,))
    rows = measured(units, N_FILINGS)
    assert len(rows) == 200
    assert np.mean([row.value for row in rows]) == pytest.approx(f1_of(kinds), abs=0.01)
    held = np.mean([row.low <= f1_of(kinds) <= row.high for row in rows])
    assert 0.90 <= held <= 0.99


def test_of_intervals_of_units_with_donors_90_to_99_percent_hold_the_truth() -> None:
    leaning = Leaning(0.5, 2, 0.5)
    units = with_donors(200, N_FILINGS, np.random.default_rng(4), (leaning,))
    rows = measured(units, N_FILINGS)
    assert np.mean([row.low <= leaning.share <= row.high for row in rows]) >= 0.90
    # their own filings alone are no groups in which such units are alike
    alone = {
        "share": Units(
            units["share"].numerator,
            units["share"].denominator,
            units["share"].group,
            np.full_like(units["share"].donor, -1),
        )
    }
    narrow = measured(alone, N_FILINGS)
    held = np.mean([row.low <= leaning.share <= row.high for row in narrow])
    assert held < np.mean([row.low <= leaning.share <= row.high for row in rows]) <= 0.99


def test_of_intervals_of_failsafeqas_metrics_90_to_100_percent_hold_the_truth() -> None:
    rows = measured(answered(200, N_FILINGS, np.random.default_rng(5), (KINDS,)), N_FILINGS)
    for metric, truth in population().items():
        found = [row for row in rows if row.metric == metric]
        assert len(found) == 200
        assert np.mean([row.low <= truth <= row.high for row in found]) >= 0.90, metric


def test_a_ratio_has_the_mean_and_median_of_the_bootstrap_besides_its_value() -> None:
    units = {"f1": units_of([0, 1, 2, 3], [2, 0, 6, 1], [2, 5, 8, 4])}
    (row,) = measured(units, 4)
    assert (row.n, row.n_groups, row.n_unscored) == (4, 4, 0)
    assert row.value == pytest.approx(9 / 19)
    drawn = np.random.default_rng(1).integers(0, 4, (50_000, 4))
    ratios = np.array([2, 0, 6, 1])[drawn].sum(axis=1) / np.array([2, 5, 8, 4])[drawn].sum(axis=1)
    assert row.mean == pytest.approx(ratios.mean(), abs=0.02)
    assert row.median == pytest.approx(np.median(ratios), abs=0.02)
    assert 0 <= row.low < row.value < row.high <= 1
    # what an unscored unit would have counted nobody knows
    assert (row.worst, row.best) == (None, None)


def test_a_share_has_the_median_of_the_bootstrap_and_not_of_its_units() -> None:
    found = np.array([3, 1, 2, 0])  # needles that the replies to four queries list, of 3 each
    units = {
        "recall": units_of(
            np.repeat(range(4), 3), [n < of for of in found for n in range(3)], [1] * 12
        )
    }
    (row,) = measured(units, 4)
    drawn = np.random.default_rng(1).integers(0, 4, (50_000, 4))
    assert row.value == row.mean == 0.5
    assert row.median == pytest.approx(np.median(found[drawn].sum(axis=1) / 12), abs=0.02)
    units["recall"] = units_of(np.repeat(range(4), 3), [1] * 8 + [0] * 4, [1] * 12)
    assert measured(units, 4)[0].median == pytest.approx(2 / 3, abs=0.09)  # not 1


def test_no_pairs_no_metrics() -> None:
    assert measured({}, 0) == []
    assert measured({}, 4) == []


def test_a_metric_made_of_others_needs_units_of_all_of_them() -> None:
    units = answered(1, 6, np.random.default_rng(6), (KINDS,))
    del units["context_grounding"]
    assert {row.metric for row in measured(units, 6)} == {"compliance", "robustness"}


def test_a_metric_made_of_others_has_no_value_if_one_of_them_has_none() -> None:
    units = answered(1, 6, np.random.default_rng(6), (KINDS,))
    unscored = np.full_like(units["context_grounding"].numerator, np.nan)
    group, donor = units["context_grounding"].group, units["context_grounding"].donor
    units["context_grounding"] = Units(unscored, unscored, group, donor)
    (row,) = [row for row in measured(units, 6) if row.metric == "llmc"]
    assert (row.n, row.n_unscored, row.value, row.low, row.high) == (0, 12 * 3, None, None, None)
    assert row.worst == 0
    assert row.best is not None
