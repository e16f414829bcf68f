"""Ratings from comparisons of two."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from tasks.statistics import Bools, Floats

ANCHORED_AT = 1000.0
_SCALE = 400.0  # rating points for odds of 10

_TOLERANCE = 1e-8  # of log odds: 2e-6 rating points
_MOST_STEPS = 1_000


def elo_from_share(share: ArrayLike) -> Floats:
    """Return the Elo rating of a share of points against an opponent at 1000.

    1000 + 400 log10(w / (1 - w)) (Elo 1978); infinite for 0 and 1. Example: 0.75 gives 1190.85.
    """
    with np.errstate(all="ignore"):
        return ANCHORED_AT + _SCALE / np.log(10) * special.logit(np.asarray(share, np.float64))


def elo_from_points(points: ArrayLike, games: ArrayLike) -> Floats:
    """Return Elo ratings from points in n games against one opponent at 1000.

    A win counts 1 point, a tie 1/2. The share of points is clipped to [1 / (2n), 1 - 1 / (2n)]. nan
    without a game. Example: 3 points of 4 games give 1190.85.
    """
    won, n = np.asarray(points, dtype=np.float64), np.asarray(games, dtype=np.float64)
    with np.errstate(all="ignore"):
        return np.where(n > 0, elo_from_share(np.clip(won, 0.5, n - 0.5) / n), np.nan)


def bradley_terry(points: ArrayLike, anchor: int) -> Floats:
    """Return Bradley-Terry ratings, at which a model's expected points are those that it has.

    400 rating points are odds of 10, and the anchor has 1000. Source: Bradley and Terry 1952, by
    Newton steps that are damped so that they always gain (Sun and Tran-Dinh 2019, "Generalized
    self-concordant functions", section 4). A model is nan unless a chain of points leads from it to
    the anchor and another one back. Example: 3 points of 4 against the anchor give 1190.85.

    Args:
        points: points that the model of the row has against that of the column; any shape before.
        anchor: number of the model with 1000.
    """
    won = np.array(points, dtype=np.float64)
    is_rated = _is_linked(won > 0, anchor)
    won *= is_rated[..., :, None] & is_rated[..., None, :] & ~np.eye(won.shape[-1], dtype=bool)
    games = won + np.swapaxes(won, -1, -2)
    is_free = is_rated.copy()
    is_free[..., anchor] = False
    pinned = np.eye(won.shape[-1]) * ~is_free[..., None]
    are_free = is_free[..., :, None] & is_free[..., None, :]
    odds = np.zeros(is_rated.shape)  # logarithms
    for _ in range(_MOST_STEPS):
        share = special.expit(odds[..., :, None] - odds[..., None, :])
        surplus = np.sum(won - games * share, axis=-1) * is_free
        variance = games * share * (1 - share)
        curvature = np.where(are_free, -variance, 0.0) + pinned
        curvature += np.eye(won.shape[-1]) * (variance.sum(axis=-1) * is_free)[..., None]
        step = np.linalg.solve(curvature, surplus[..., None])[..., 0]
        reach = np.ptp(step, axis=-1, keepdims=True)
        if np.all(reach < _TOLERANCE):
            return np.where(is_rated, ANCHORED_AT + _SCALE / np.log(10) * odds, np.nan)
        odds += step * np.log1p(reach) / np.maximum(reach, _TOLERANCE)
    raise ValueError(f"ratings did not settle in {_MOST_STEPS:,} steps")


def _is_linked(beat: Bools, anchor: int) -> Bools:
    """Check to which models a chain leads from the anchor, and from which one leads back."""
    reach = beat | np.eye(beat.shape[-1], dtype=bool)
    for middle in range(beat.shape[-1]):
        reach |= reach[..., :, middle, None] & reach[..., None, middle, :]
    return np.asarray(reach[..., anchor, :] & reach[..., :, anchor])
