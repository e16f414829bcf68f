"""Ratings of models, from the points that they have against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from tasks.statistics import FEWEST_GROUPS, Floats, Ints
from tasks.statistics.intervals import share_interval, standard_error, student_interval
from tasks.statistics.ratings import ANCHORED_AT, bradley_terry, elo_from_points, elo_from_share
from tasks.statistics.resampling import draw
from tasks.suites.suite import Rating

if TYPE_CHECKING:
    import duckdb

# If more draws of filings than this have no rating, an end of the interval lies among those.
_MOST_UNRATED = 0.025

_CELL = ("judge", "slice_by", "slice_value")


def ratings_of(
    connection: duckdb.DuckDBPyConnection,
    about: Mapping[str, str],
    rating: Rating,
    options: Mapping[str, Any],
    n_groups: int,
) -> Iterator[dict[str, Any]]:
    """Rate the models of each judge and slice: columns of `Metric`.

    Intervals come from groups of filings drawn anew. A model whose games do not rate it has no
    value: one that never met the anchor, say. Nor has the anchor itself without a scored game.
    `about` are suite and release, `options` the suite's settings that its metrics read.

    Raises:
        ValueError: a model's units lack those of the other model's side.
    """
    rows = connection.execute(
        f"select {', '.join(_CELL)}, model, other_model, group_number, coalesce(sum(score), 0), "
        "count(score), count(*) from staging.cell_units where suite = $suite "
        "and release = $release and metric = $metric and other_model is not null "
        "group by all order by all",
        {**about, "metric": rating.points},
    ).fetchall()
    for cell, games in groupby(rows, key=lambda row: row[: len(_CELL)]):
        of_cell = [row[len(_CELL) :] for row in games]
        for row in _rated(of_cell, rating, options[rating.anchor], n_groups):
            yield dict(zip(_CELL, cell, strict=True)) | row


def _rated(
    rows: Sequence[tuple[Any, ...]], rating: Rating, anchor_name: str, n_groups: int
) -> Iterator[dict[str, Any]]:
    """Rate the models of one judge and slice.

    Games and points are groups of filings x models x models, from the side of the first model.
    """
    models = sorted({name for row in rows for name in row[:2]})
    number = {model: place for place, model in enumerate(models)}
    points, games, unscored = np.zeros((3, n_groups, len(models), len(models)))
    for model, other_model, group, won, n_scored, n in rows:
        at = group, number[model], number[other_model]
        points[at], games[at], unscored[at] = won, n_scored, n - n_scored
    if not np.array_equal(games, np.swapaxes(games, 1, 2)):
        raise ValueError(
            f"models cannot be rated by {rating.points}: it needs a unit of either model for "
            "each game, and some are missing. Add them to the suite's units.sql"
        )
    anchor = number.get(anchor_name)
    of_anchor = anchor if rating.method == "elo" else None
    n = _count_games(games, of_anchor)
    groups = np.count_nonzero(n, axis=0)
    n_unscored = _count_games(unscored, of_anchor).sum(axis=0)
    value, low, high = np.full((3, len(models)), np.nan)
    if anchor is not None and games[:, anchor].any():
        if rating.method == "elo":
            value, low, high = _elo(points[..., anchor], games[..., anchor], anchor, groups)
        else:
            value, low, high = _bradley_terry(points, anchor, groups)
    counts = {"n": n.sum(axis=0), "n_unscored": n_unscored, "n_groups": groups}
    columns = {name: counted.astype(np.int64) for name, counted in counts.items()}
    columns |= {"value": value, "low": low, "high": high}
    for place, model in enumerate(models):
        yield {"model": model} | {name: of_all[place].item() for name, of_all in columns.items()}


def _count_games(games: Floats, anchor: int | None) -> Floats:
    """Count each model's games by group: all, or those with an anchor, and all of the anchor."""
    counts = games.sum(axis=-1)
    if anchor is not None:
        is_other = np.arange(games.shape[-1]) != anchor
        counts[:, is_other] = games[:, is_other, anchor]
    return counts


def _elo(points: Floats, games: Floats, anchor: int, n_groups: Ints) -> tuple[Floats, ...]:
    """Rate each model by its games with the anchor; both arrays are groups x models.

    The interval is that of the share of points. An end at a share of 0 or 1 is open.
    """
    draws = draw(len(points))
    with np.errstate(all="ignore"):
        share = points.sum(axis=0) / games.sum(axis=0)
        error = standard_error((draws @ points) / (draws @ games), n_groups)
        ends = [elo_from_share(end) for end in share_interval(share, error, n_groups)]
    value = elo_from_points(points.sum(axis=0), games.sum(axis=0))
    value[anchor] = ANCHORED_AT
    is_known = n_groups >= FEWEST_GROUPS
    low, high = (np.where(np.isfinite(end) & is_known, end, np.nan) for end in ends)
    return value, low, high


def _bradley_terry(points: Floats, anchor: int, n_groups: Ints) -> tuple[Floats, ...]:
    """Rate all models by all games; the interval is Student's."""
    value = bradley_terry(points.sum(axis=0), anchor)
    drawn = (draw(len(points)) @ points.reshape(len(points), -1)).reshape(-1, *points.shape[1:])
    replicates = bradley_terry(drawn, anchor)
    is_known = np.mean(np.isnan(replicates), axis=0) <= _MOST_UNRATED
    is_known &= n_groups >= FEWEST_GROUPS
    error = np.where(is_known, standard_error(replicates, n_groups), np.nan)
    return value, *student_interval(value, error, n_groups)
