"""Ratings from comparisons of two, and how well confidence is calibrated."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_TOLERANCE = 1e-12
_MOST_STEPS = 100_000


def elo_from_counts(wins: float, ties: float, losses: float, anchor: float = 1000.0) -> float:
    """Return the Elo rating of a model from its games against one opponent at `anchor`.

    anchor + 400 log10(w / (1 - w)), w the share of points: a win counts 1, a tie 1/2 (Elo 1978).
    w is clipped to [1 / (2n), 1 - 1 / (2n)]; see `is_clipped`. Example: 3 wins and 1 loss give
    1190.85.

    Raises:
        ValueError: there is no game.
    """
    n = wins + ties + losses
    if n <= 0:
        raise ValueError("a rating needs at least one game")
    share = min(max((wins + ties / 2) / n, 1 / (2 * n)), 1 - 1 / (2 * n))
    return anchor + 400 * math.log10(share / (1 - share))


def is_clipped(wins: float, ties: float, losses: float) -> bool:
    """Check whether `elo_from_counts` had to clip the share of points: 0 of 4 games, say."""
    n = wins + ties + losses
    share = (wins + ties / 2) / n
    return not 1 / (2 * n) <= share <= 1 - 1 / (2 * n)


def bradley_terry(wins: ArrayLike) -> Floats:
    """Return strengths whose ratios are the odds of a win; their geometric mean is 1.

    Source: Hunter 2004, "MM algorithms for generalized Bradley-Terry models", (3). Example:
    [[0, 3], [1, 0]] gives strengths 1.732 and 0.577: odds of 3.

    Args:
        wins: how often the model of the row beat that of the column; a tie is half a win of both.

    Raises:
        ValueError: the models fall into two sets of which one never beat the other. Then no finite
            strengths fit.
    """
    won = np.asarray(wins, dtype=np.float64)
    if not _is_connected(won):
        raise ValueError(
            "strengths cannot be estimated: some models never beat any of the others. Leave them "
            "out, or compare more"
        )
    games = won + won.T
    total = won.sum(axis=1)
    strength = np.ones(len(won))
    for _ in range(_MOST_STEPS):
        expected = games / (strength[:, None] + strength[None, :])
        np.fill_diagonal(expected, 0.0)
        stepped = total / expected.sum(axis=1)
        stepped /= np.exp(np.mean(np.log(stepped)))
        if np.max(np.abs(np.log(stepped / strength))) < _TOLERANCE:
            return stepped
        strength = stepped
    raise ValueError(f"strengths did not settle in {_MOST_STEPS:,} steps")


def _is_connected(won: Floats) -> bool:
    """Check that a chain of wins leads from each model to each other one."""
    reach = (won > 0) | np.eye(len(won), dtype=bool)
    for middle in range(len(won)):
        reach |= np.outer(reach[:, middle], reach[middle])
    return bool(reach.all())


def calibration_error(n: ArrayLike, confidence: ArrayLike, correct: ArrayLike) -> Floats:
    """Return the expected calibration error: mean distance of confidence and accuracy, by bin.

    Source: Guo et al. 2017, "On Calibration of Modern Neural Networks", (3). Example: two bins of
    5 answers each, confidence 0.9 and 0.6, of which 4 and 3 are correct: 0.05.

    Args:
        n: answers per bin; bins first, any shape behind.
        confidence: the sum of their confidence.
        correct: how many of them are correct.
    """
    total = np.sum(np.asarray(n, dtype=np.float64), axis=0)
    distance = np.abs(np.asarray(confidence, dtype=np.float64) - np.asarray(correct))
    with np.errstate(all="ignore"):
        return np.where(total > 0, np.sum(distance, axis=0) / total, np.nan)
