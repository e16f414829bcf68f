"""Ratings against hand-computed games and a second solver; calibration against worked tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from tasks.statistics.ratings import (
    bradley_terry,
    calibration_error,
    elo_from_counts,
    is_clipped,
)


@pytest.mark.parametrize(
    ("games", "rating"),
    [
        ((3, 0, 1), 1190.848501887865),  # w = 3/4: 400 log10 3
        ((1, 0, 3), 809.151498112135),
        ((5, 2, 5), 1000.0),
        ((0, 4, 0), 1000.0),
        ((10, 0, 1), 1400.0),  # odds of 10
        ((4, 0, 0), 1338.0392160057028),  # w = 7/8: 400 log10 7
        ((0, 0, 4), 661.9607839942972),
        ((1, 0, 0), 1000.0),  # one game says nothing: w = 1/2
    ],
)
def test_elo_is_that_of_hand_computed_games(games: tuple[int, int, int], rating: float) -> None:
    assert elo_from_counts(*games) == pytest.approx(rating, abs=1e-9)
    assert elo_from_counts(*games, anchor=0) == pytest.approx(rating - 1000, abs=1e-9)


def test_what_was_clipped_says_so_and_no_games_have_no_rating() -> None:
    assert is_clipped(4, 0, 0)
    assert is_clipped(0, 0, 4)
    assert not is_clipped(3, 0, 1)
    with pytest.raises(ValueError, match="at least one game"):
        elo_from_counts(0, 0, 0)


def test_bradley_terry_is_that_of_a_second_solver() -> None:
    generator = np.random.default_rng(1)
    for n_models in (2, 3, 5, 8):
        wins = generator.integers(1, 30, (n_models, n_models)).astype(float)
        np.fill_diagonal(wins, 0)

        def loss(free: np.ndarray, wins: np.ndarray = wins) -> float:
            logs = np.append(free, 0.0)
            return float(np.sum(wins * np.log1p(np.exp(logs[None, :] - logs[:, None]))))

        solved = minimize(loss, np.zeros(n_models - 1), method="BFGS", options={"gtol": 1e-10})
        logs = np.append(solved.x, 0.0)
        assert np.log(bradley_terry(wins)) == pytest.approx(logs - logs.mean(), abs=1e-5)


def test_bradley_terry_of_two_is_the_odds_and_ties_are_half_wins() -> None:
    assert bradley_terry([[0, 3], [1, 0]]) == pytest.approx([3**0.5, 3**-0.5])
    assert bradley_terry([[0, 2.5], [2.5, 0]]) == pytest.approx([1, 1])


@pytest.mark.parametrize(
    "wins", [[[0, 3], [0, 0]], [[0, 1, 2], [1, 0, 3], [0, 0, 0]], [[0, 0], [0, 0]]]
)
def test_models_that_never_win_have_no_strength(wins: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="never beat"):
        bradley_terry(wins)


@pytest.mark.parametrize(
    ("n", "confidence", "correct", "error"),
    [
        ([5, 5], [4.5, 3.0], [4, 3], 0.05),
        ([10], [9.0], [9], 0.0),
        ([10], [9.0], [0], 0.9),
        ([2, 0, 8], [0.2, 0.0, 7.2], [1, 0, 4], 0.4),
        ([1, 1, 1, 1], [0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1], 0.35),
    ],
)
def test_calibration_error_of_worked_tables(
    n: list[int], confidence: list[float], correct: list[int], error: float
) -> None:
    assert calibration_error(n, confidence, correct) == pytest.approx(error)


def test_no_answers_have_no_calibration_error() -> None:
    assert np.isnan(calibration_error([0, 0], [0, 0], [0, 0]))
