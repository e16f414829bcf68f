"""Ratings of models, from the points that they have against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tasks.scoring.counted import Floats
from tasks.statistics import FEWEST_GROUPS
from tasks.statistics.intervals import share_interval, standard_error, student_interval
from tasks.statistics.ratings import (
    ANCHORED_AT,
    bradley_terry,
    elo_from_points,
    elo_from_share,
)
from tasks.statistics.resampling import draw
from tasks.suites.suite import Rating

if TYPE_CHECKING:
    import duckdb

# If more draws of filings than this have no rating, an end of the interval lies among those.
_MOST_UNRATED = 0.025

_CELL = ("judge", "slice_by", "slice_value")


@dataclass(frozen=True, slots=True)
class _Played:
    """The games of one judge and slice.

    Attributes:
        points, games: groups of filings x models x models, from the side of the first.
        n_unscored: models x models.
        anchor: number of the model whose rating is 1000; None if it has no game here.
    """

    models: Sequence[str]
    points: Floats
    games: Floats
    n_unscored: NDArray[np.int64]
    anchor: int | None


def ratings_of(
    connection: duckdb.DuckDBPyConnection,
    about: Mapping[str, str],
    rating: Rating,
    options: Mapping[str, Any],
    n_groups: int,
) -> Iterator[tuple[Any, ...]]:
    """Rate the models of each judge and slice.

    Yields (model, judge, slice_by, slice_value, other columns of `Metric`). Intervals come from
    groups of filings drawn anew. A model whose games do not rate it has no value: one that never
    met the anchor, say. Nor has the anchor itself without a scored game.

    Args:
        about: suite and release.
        options: the suite's settings that its metrics read.

    Raises:
        ValueError: a model's units lack those of the other model's side.
    """
    given = {**about, "metric": rating.points}
    rows = connection.execute(
        f"select {', '.join(_CELL)}, model, other_model, group_number, coalesce(sum(score), 0), "
        f"count(score), count(*) {_UNITS} group by all order by all",
        given,
    ).fetchall()
    for cell, same in groupby(rows, key=lambda row: row[: len(_CELL)]):
        played = _played([row[len(_CELL) :] for row in same], options[rating.anchor], n_groups)
        if not np.array_equal(played.games, np.swapaxes(played.games, 1, 2)):
            raise ValueError(
                f"models cannot be rated by {rating.points}: it needs a unit of either model for "
                "each game, and some are missing. Add them to the suite's units.sql"
            )
        with_anchor = _games_with(played, None if rating.method != "elo" else played.anchor)
        n, n_unscored, groups = with_anchor
        n_models = len(played.models)
        value, low, high = (np.full(n_models, np.nan) for _ in range(3))
        if played.anchor is not None and played.games[:, played.anchor].any():
            if rating.method == "elo":
                value, low, high = _elo(played, played.anchor, groups)
            else:
                value, low, high = _bradley_terry(played, played.anchor, groups)
        for place, model in enumerate(played.models):
            yield (
                model,
                *cell,
                {
                    "n": int(n[place]),
                    "n_unscored": int(n_unscored[place]),
                    "n_groups": int(groups[place]),
                    "value": value[place],
                    "low": low[place],
                    "high": high[place],
                },
            )


_UNITS = (
    "from staging.cell_units where suite = $suite and release = $release and metric = $metric "
    "and other_model is not null"
)


def _played(rows: Sequence[tuple[Any, ...]], anchor: str, n_groups: int) -> _Played:
    models = sorted({name for row in rows for name in row[:2]})
    number = {model: place for place, model in enumerate(models)}
    points, games = (np.zeros((n_groups, len(models), len(models))) for _ in range(2))
    n_unscored = np.zeros((len(models), len(models)), dtype=np.int64)
    for model, other_model, group, won, scored, n in rows:
        at = number[model], number[other_model]
        points[group][at], games[group][at] = won, scored
        n_unscored[at] += n - scored
    return _Played(models, points, games, n_unscored, number.get(anchor))


def _games_with(played: _Played, anchor: int | None) -> tuple[NDArray[np.int64], ...]:
    """Count each model's games, those without a verdict, and groups of filings with one.

    Args:
        anchor: counts games with this model only, and of itself all; None counts all games.
    """
    counts = played.games, played.n_unscored
    of_all = [each.sum(axis=-1) for each in counts]
    if anchor is not None:
        for every, each in zip(of_all, counts, strict=True):
            is_other = np.arange(len(played.models)) != anchor
            every[..., is_other] = each[..., anchor][..., is_other]
    games, n_unscored = of_all
    n = np.rint(games.sum(axis=0)).astype(np.int64)
    return n, n_unscored, np.count_nonzero(games, axis=0).astype(np.int64)


def _elo(played: _Played, anchor: int, n_groups: NDArray[np.int64]) -> tuple[Floats, ...]:
    """Rate each model by its games with the anchor.

    The interval is that of the share of points. An end at a share of 0 or 1 is open.
    """
    points, games = played.points[..., anchor], played.games[..., anchor]
    draws = draw(len(points))
    with np.errstate(all="ignore"):
        share = points.sum(axis=0) / games.sum(axis=0)
        error = standard_error((draws @ points) / (draws @ games), n_groups)
        ends = share_interval(share, error, n_groups)
    value = elo_from_points(points.sum(axis=0), games.sum(axis=0))
    value[anchor] = ANCHORED_AT
    found = (elo_from_share(end) for end in ends)
    low, high = (
        np.where(np.isfinite(end) & (n_groups >= FEWEST_GROUPS), end, np.nan) for end in found
    )
    return value, low, high


def _bradley_terry(played: _Played, anchor: int, n_groups: NDArray[np.int64]) -> tuple[Floats, ...]:
    """Rate all models by all games; the interval is Student's."""
    points = played.points
    value = bradley_terry(points.sum(axis=0), anchor)
    drawn = (draw(len(points)) @ points.reshape(len(points), -1)).reshape(-1, *points.shape[1:])
    replicates = bradley_terry(drawn, anchor)
    is_known = np.mean(np.isnan(replicates), axis=0) <= _MOST_UNRATED
    error = np.where(is_known, standard_error(replicates, n_groups), np.nan)
    low, high = student_interval(value, error, n_groups)
    is_known = n_groups >= FEWEST_GROUPS
    return value, np.where(is_known, low, np.nan), np.where(is_known, high, np.nan)
