"""Metrics with intervals, from the sums of units that SQL counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tasks.core.progress import tell
from tasks.core.rows import Metric
from tasks.scoring.counted import (
    Cells,
    Formula,
    Sums,
    estimate,
    estimated,
    formula_of,
    groups_of,
    groups_with_all,
    in_turn,
    numbers_of,
    ratio,
    rounded,
)
from tasks.scoring.ratings import ratings_of
from tasks.statistics import Bools, Floats, Ints
from tasks.statistics.resampling import draw
from tasks.suites.suite import Derived, Suite

if TYPE_CHECKING:
    import duckdb

_KEYS = ("model", "judge", "metric", "slice_by", "slice_value")
Key = tuple[str, ...]


def metrics_of(
    connection: duckdb.DuckDBPyConnection, suite: Suite, release: str, *, options: Mapping[str, Any]
) -> list[Metric]:
    """Compute the metrics of a suite in a release, by model, judge and slice.

    The value is the sum of numerators over the sum of denominators. Its interval comes from groups
    of filings drawn anew. Where nothing counts, and nothing is unscored, there is no row.
    `options` are the suite's settings that its metrics read.
    """
    about = {"suite": suite.name, "release": release}
    n_groups = groups_of(connection, suite.name, release)
    counted = _count(connection, about, n_groups)
    rows = list(_rows_of_units(counted, *_means_and_medians(connection, about, counted)))
    for name, made in suite.metrics.items():
        if isinstance(made, Derived):
            rows += _rows_of_sums(counted, made.of, formula_of(name, made, options))
        else:
            ratings = ratings_of(connection, about, made, options, n_groups)
            rows += (_row(metric=name, **rated) for rated in ratings)
    return sorted(
        (Metric(suite=suite.name, release=release, score_id="", **row) for row in rows),
        key=lambda row: (row.model, row.judge, row.metric, row.slice_by, row.slice_value),
    )


@dataclass(frozen=True, slots=True)
class _Counted:
    """All cells that SQL counted, in one order."""

    keys: list[Key]
    cells: Cells
    n_unscored: Ints  # units without a score
    n_open: Ints  # of these, units that might have passed
    is_mean: Bools  # whether each unit counts once: its denominator is 1


def _count(
    connection: duckdb.DuckDBPyConnection, about: Mapping[str, str], n_groups: int
) -> _Counted:
    """Read the release's `staging.sums`."""
    connection.execute(
        "create or replace temp table sums as select * from staging.sums "
        "where suite = $suite and release = $release",
        about,
    )
    connection.execute(
        f"create or replace temp table cells as select * exclude (cell), cell, "
        "row_number() over () - 1 as place from (select cell, "
        f"{', '.join(f'any_value({key}) as {key}' for key in _KEYS)}, sum(n)::bigint as n, "
        "count(*) filter (where n > 0) as n_groups, sum(n_unscored)::bigint as n_unscored, "
        "sum(n_open)::bigint as n_open, any_value(is_share) as is_share, "
        "any_value(is_mean) as is_mean, any_value(is_bounded) as is_bounded "
        "from sums where draw = 'own' group by cell)"
    )
    columns = connection.execute("from cells order by place").fetchnumpy()
    added = connection.execute(
        "select place, list_position(['own', 'donor', 'both'], draw)::tinyint as draw, "
        "group_number, total, size from sums inner join cells using (cell)"
    ).fetchnumpy()
    keys = list(zip(*(columns[name].tolist() for name in _KEYS), strict=True))
    total, size = (_sums(added, name, len(keys), n_groups) for name in ("total", "size"))
    of_units = (columns[name] for name in ("n", "n_groups", "is_share", "is_bounded"))
    cells = Cells(total, size, *of_units)
    return _Counted(keys, cells, *(columns[name] for name in ("n_unscored", "n_open", "is_mean")))


def _sums(added: Mapping[str, Any], name: str, n_cells: int, n_groups: int) -> Sums:
    """Add a column up by draw (1 own, 2 donor, 3 both), group and cell."""

    def of_draw(number: int, groups: Ints, n_rows: int) -> Floats:
        is_of = added["draw"] == number
        flat = groups * n_cells + added["place"][is_of]
        sums = np.bincount(flat, added[name][is_of], n_rows * n_cells)
        return sums.astype(np.float64, copy=False).reshape(n_rows, n_cells)

    groups = [added["group_number"][added["draw"] == number] for number in (1, 2, 3)]
    pairs, place = np.unique(groups[2], return_inverse=True)
    return Sums(
        of_draw(1, groups[0], n_groups),
        of_draw(2, groups[1], n_groups),
        of_draw(3, place.astype(np.int64), len(pairs)),
    )


def _rows_of_units(counted: _Counted, mean: Floats, median: Floats) -> Iterator[dict[str, Any]]:
    """Yield the metrics that are sums over sums."""
    cells, formula = counted.cells, Formula("", ratio, is_share=True)
    value, low, high, _ = estimate(formula, (cells,))
    bounds = _bounds(counted, formula, (np.arange(len(counted.keys)),))
    worst, best = np.where(cells.is_bounded & counted.is_mean, bounds, np.nan)
    counts = {"n": cells.n, "n_unscored": counted.n_unscored, "n_groups": cells.n_groups}
    middles = {"value": value, "median": median, "mean": np.where(cells.is_share, value, mean)}
    ends = {"low": low, "high": high, "worst": worst, "best": best}
    yield from _rows(counted.keys, {**counts, **middles, **ends})


def _tell_parts_apart(counted: _Counted, name: str, of: Sequence[str]) -> None:
    """Tell that a metric has no value since no judge gives all of its parts."""
    judges = [{key[1] for key in counted.keys if key[2] == part} for part in of]
    if all(judges) and not set.intersection(*judges):
        tell(f'"{name}" has no value: no judge gives all of {", ".join(of)}')


def _rows_of_sums(
    counted: _Counted, of: Sequence[str], formula: Formula
) -> Iterator[dict[str, Any]]:
    """Yield a metric made of others, in each cell that has units of all of them."""
    place_of = {key: place for place, key in enumerate(counted.keys)}
    cells = [
        [place_of.get((model, judge, part, *slices)) for part in of]
        for model, judge, metric, *slices in counted.keys
        if metric == of[0]
    ]
    whole = [places for places in cells if None not in places]
    if not whole:
        _tell_parts_apart(counted, formula.name, of)
        return
    places = np.array(whole, dtype=np.int64).T
    parts = [counted.cells[part] for part in places]
    value, low, high, _ = estimate(formula, parts)
    worst = best = np.full(len(value), np.nan)
    if formula.grows and all(part.is_share.all() for part in parts):
        worst, best = _bounds(counted, formula, places)
    n = numbers_of(formula.units, [part.n for part in parts])
    of_parts = np.array([counted.n_unscored[part] for part in places])
    n_unscored = of_parts.max(axis=0) if formula.units == "same" else of_parts.sum(axis=0)
    keys = [(*key[:2], formula.name, *key[3:]) for key in map(counted.keys.__getitem__, places[0])]
    counts = {"n": n, "n_unscored": n_unscored, "n_groups": groups_with_all(parts)}
    values = {"value": value, "low": low, "high": high, "worst": worst, "best": best}
    yield from _rows(keys, {**counts, **values})


def _bounds(
    counted: _Counted, formula: Formula, places: Sequence[Ints] | Ints
) -> tuple[Floats, Floats]:
    """Return the least and the largest value, whatever the unscored units had been."""
    sums = [cell.all for cell in in_turn([counted.cells[part] for part in places])]
    sizes = [size + counted.n_unscored[part] for size, part in zip(sums[1::2], places, strict=True)]
    passed = [total + counted.n_open[part] for total, part in zip(sums[::2], places, strict=True)]
    with np.errstate(all="ignore"):
        worst, best = (
            formula.value(*(cell for pair in zip(totals, sizes, strict=True) for cell in pair))
            for totals in (sums[::2], passed)
        )
    return worst, best


def _means_and_medians(
    connection: duckdb.DuckDBPyConnection, about: Mapping[str, str], counted: _Counted
) -> Floats:
    """Return each cell's mean and median: those of the units' own scores, else the bootstrap's.

    Paper 002, section 2.4, reports those; the median of units that are 0 or 1 says nothing.
    """
    is_own = counted.is_mean & ~counted.cells.is_share
    of_scores: dict[Key, tuple[float, float]] = {}
    if metrics := sorted({counted.keys[place][2] for place in np.flatnonzero(is_own)}):
        rows = connection.execute(
            f"select {', '.join(_KEYS)}, avg(score), median(score) "
            "from staging.cell_units where suite = $suite and release = $release "
            "and list_contains($metrics, metric) and score is not null group by all",
            {**about, "metrics": metrics},
        ).fetchall()
        of_scores = {row[:5]: row[5:] for row in rows}
    drawn = draw(len(counted.cells.total.own))
    values = np.full((2, len(counted.keys)), np.nan)
    for place, key in enumerate(counted.keys):
        if not is_own[place]:
            values[:, place] = _bootstrapped(drawn, counted.cells, place)
        elif key in of_scores:
            values[:, place] = of_scores[key]
    return values


def _bootstrapped(drawn: Floats, cells: Cells, place: int) -> tuple[float, float]:
    """Return the bootstrap's mean and median of a cell."""
    with np.errstate(all="ignore"):
        values = (drawn @ cells.total.own[:, place]) / (drawn @ cells.size.own[:, place])
    values = values[~np.isnan(values)]
    return (float(values.mean()), float(np.median(values))) if len(values) else (np.nan, np.nan)


def _rows(keys: Sequence[Key], columns: Mapping[str, Ints | Floats]) -> Iterator[dict[str, Any]]:
    """Yield rows, without those that count 0 of 0: they only stand for what a ratio leaves out."""
    for key, *numbers in zip(keys, *(column.tolist() for column in columns.values()), strict=True):
        row = _row(**dict(zip(_KEYS, key, strict=True)), **dict(zip(columns, numbers, strict=True)))
        if row["value"] is not None or row["n_unscored"]:
            yield row


def _row(**values: Any) -> dict[str, Any]:
    """Return the columns of `Metric`, with numbers rounded; what is not given is None."""
    rounding = {"low": estimated, "high": estimated}
    return dict.fromkeys(("median", "mean", "worst", "best")) | {
        name: rounding.get(name, rounded)(value) if isinstance(value, float) else value
        for name, value in values.items()
    }
