"""Ratings against hand-computed games and a second solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from tasks.statistics.ratings import bradley_terry, elo_from_points

SCALE = 400 / np.log(10)


@pytest.mark.parametrize(
    ("points", "n", "rating"),
    [
        (3, 4, 1190.848501887865),  # w = 3/4: 400 log10 3
        (1, 4, 809.151498112135),
        (6, 12, 1000.0),
        (10, 11, 1400.0),  # odds of 10
        (4, 4, 1338.0392160056028),  # w = 7/8: 400 log10 7
        (0, 4, 661.9607839942972),
        (1, 1, 1000.0),  # one game says nothing: w = 1/2
        (19, 80, 797.3695),  # the paper's gpt-4o-vision on hard questions
    ],
)
def test_elo_is_that_of_hand_computed_games(points: float, n: int, rating: float) -> None:
    assert elo_from_points(points, n) == pytest.approx(rating, abs=1e-4)


def solved_otherwise(points: np.ndarray) -> np.ndarray:
    """Fit the logistic regression of wins on models by SciPy; the first model has 1000."""

    def loss(free: np.ndarray) -> float:
        logs = np.append(0.0, free)
        return float(np.sum(points * np.log1p(np.exp(logs[None, :] - logs[:, None]))))

    start = np.zeros(len(points) - 1)
    solved = minimize(loss, start, method="BFGS", options={"gtol": 1e-10})
    return 1000 + SCALE * np.append(0.0, solved.x)


def test_bradley_terry_is_that_of_a_second_solver() -> None:
    generator = np.random.default_rng(1)
    for n_models in (2, 3, 5, 8):
        points = generator.integers(1, 30, (n_models, n_models)) / 2
        np.fill_diagonal(points, 0)
        assert bradley_terry(points, 0) == pytest.approx(solved_otherwise(points), abs=0.01)


def test_bradley_terry_of_two_is_elo_and_ties_are_half_wins() -> None:
    assert bradley_terry([[0, 3], [1, 0]], 1) == pytest.approx([1190.848501887865, 1000])
    assert bradley_terry([[0, 2.5], [2.5, 0]], 0) == pytest.approx([1000, 1000])
    # games with the anchor alone
    star = np.array([[0, 1, 7.5], [3, 0, 0], [0.5, 0, 0]])
    expected = [1000, *elo_from_points([3, 0.5], [4, 8])]
    assert bradley_terry(star, 0) == pytest.approx(expected)


def test_expected_points_are_those_that_a_model_has_in_each_of_many_matrices() -> None:
    generator = np.random.default_rng(2)
    points = generator.integers(0, 4, (500, 6, 6)) * 10.0 ** generator.integers(0, 4, (500, 1, 1))
    points *= 1 - np.eye(6)
    found = bradley_terry(points, 2)
    assert np.isnan(found).any()
    assert (found[:, 2] == 1000).all()
    for ratings, won in zip(found, points, strict=True):
        rated = np.flatnonzero(~np.isnan(ratings))
        games = (won + won.T)[np.ix_(rated, rated)]
        share = expit((ratings[rated, None] - ratings[None, rated]) / SCALE)
        total = won[np.ix_(rated, rated)].sum(axis=1)
        assert (games * share).sum(axis=1) == pytest.approx(total, rel=1e-7)


@pytest.mark.parametrize(
    ("points", "rated"),
    [
        ([[0, 3], [0, 0]], [True, False]),
        ([[0, 1, 2], [1, 0, 3], [0, 0, 0]], [True, True, False]),  # never won
        ([[0, 1, 0], [1, 0, 0], [5, 5, 0]], [True, True, False]),  # never lost
        ([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], [True, True, False, False]),
        ([[0, 0], [0, 0]], [True, False]),
        # in a circle of wins all are rated
        ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [True, True, True]),
    ],
)
def test_models_that_no_points_link_to_the_anchor_have_no_rating(
    points: list[list[int]], rated: list[bool]
) -> None:
    found = bradley_terry(points, 0)
    assert (~np.isnan(found)).tolist() == rated
    # the others are rated as without them
    kept = np.flatnonzero(rated)
    assert found[kept] == pytest.approx(bradley_terry(np.array(points)[np.ix_(kept, kept)], 0))
