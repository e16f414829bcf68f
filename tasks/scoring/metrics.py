"""Metrics with intervals, from the sums of units that SQL counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tasks.core.progress import tell
from tasks.core.rows import Metric
from tasks.scoring.counted import (
    Bools,
    Cells,
    Floats,
    Formula,
    Ints,
    Sums,
    columns_of,
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
from tasks.statistics.resampling import draw
from tasks.suites.suite import Derived, Suite

if TYPE_CHECKING:
    import duckdb

_KEYS = ("model", "judge", "metric", "slice_by", "slice_value")
Key = tuple[str, ...]


def metrics_of(
    connection: duckdb.DuckDBPyConnection,
    suite: Suite,
    release: str,
    *,
    options: Mapping[str, Any],
) -> list[Metric]:
    """Compute the metrics of a suite in a release, by model, judge and slice.

    The value is the sum of numerators over the sum of denominators. Its interval comes from groups
    of filings drawn anew. Where nothing counts, and nothing is unscored, there is no row.

    Args:
        options: the suite's settings that its metrics read.
    """
    about = {"suite": suite.name, "release": release}
    n_groups = groups_of(connection, suite.name, release)
    counted = _count(connection, about, n_groups)
    rows = list(_rows_of_units(counted, _means_and_medians(connection, about, counted)))
    for name, made in suite.metrics.items():
        if isinstance(made, Derived):
            rows += _rows_of_sums(counted, made.of, formula_of(name, made, options))
        else:
            ratings = ratings_of(connection, about, made, options, n_groups)
            rows += (_row({"metric": name}, **rated) for rated in ratings)
    return sorted(
        (Metric(suite=suite.name, release=release, score_id="", **row) for row in rows),
        key=lambda row: (row.model, row.judge, row.metric, row.slice_by, row.slice_value),
    )


@dataclass(frozen=True, slots=True)
class _Counted:
    """All cells that SQL counted, in one order.

    Attributes:
        n_unscored: units without a score, of which n_open might have passed.
        is_mean: whether each unit counts once: its denominator is 1.
    """

    keys: list[Key]
    cells: Cells
    n_unscored: Ints
    n_open: Ints
    is_mean: Bools


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
    rows = connection.execute(f"select {', '.join(_KEYS)} from cells order by place").fetchall()
    columns = columns_of(
        connection,
        "select n, n_groups, n_unscored, n_open, is_share, is_mean, is_bounded "
        "from cells order by place",
    )
    added = columns_of(
        connection,
        "select place, list_position(['own', 'donor', 'both'], draw)::tinyint as draw, "
        "group_number, total, size from sums inner join cells using (cell)",
    )
    total, size = (_sums(added, name, len(rows), n_groups) for name in ("total", "size"))
    cells = Cells(
        total,
        size,
        *(columns[name] for name in ("n", "n_groups", "is_share", "is_bounded")),
    )
    rest = (columns[name] for name in ("n_unscored", "n_open", "is_mean"))
    return _Counted(rows, cells, *rest)


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


def _rows_of_units(
    counted: _Counted, of_scores: Mapping[Key, tuple[float, float]]
) -> Iterator[dict[str, Any]]:
    """Yield the metrics that are sums over sums.

    The median and mean are those of the units' own scores, else the bootstrap's (paper 002, section
    2.4, reports them); the median of units that are 0 or 1 says nothing.
    """
    cells, formula = counted.cells, Formula("", ratio, is_share=True)
    value, low, high, _ = estimate(formula, (cells,))
    worst, best = _bounds(counted, formula, (np.arange(len(counted.keys)),))
    has_bounds = cells.is_bounded & counted.is_mean
    drawn = draw(len(cells.total.own))
    for place, key in enumerate(counted.keys):
        if counted.is_mean[place] and not cells.is_share[place]:
            mean, median = of_scores.get(key, (None, None))
        else:
            mean, median = _bootstrapped(drawn, cells, place)
        yield from _counting(
            dict(zip(_KEYS, key, strict=True)),
            n=int(cells.n[place]),
            n_unscored=int(counted.n_unscored[place]),
            n_groups=int(cells.n_groups[place]),
            value=value[place],
            median=median,
            mean=value[place] if cells.is_share[place] else mean,
            low=low[place],
            high=high[place],
            worst=worst[place] if has_bounds[place] else None,
            best=best[place] if has_bounds[place] else None,
        )


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
    n_groups = groups_with_all(parts)
    for number, place in enumerate(places[0]):
        yield from _counting(
            dict(zip(_KEYS, counted.keys[place], strict=True)) | {"metric": formula.name},
            n=int(n[number]),
            n_unscored=int(n_unscored[number]),
            n_groups=int(n_groups[number]),
            value=value[number],
            low=low[number],
            high=high[number],
            worst=worst[number],
            best=best[number],
        )


def _bounds(
    counted: _Counted, formula: Formula, places: Sequence[Ints] | Ints
) -> tuple[Floats, Floats]:
    """Return the least and the largest value, whatever the unscored units had been."""
    sums = [each.all for each in in_turn([counted.cells[part] for part in places])]
    sizes = [size + counted.n_unscored[part] for size, part in zip(sums[1::2], places, strict=True)]
    passed = [total + counted.n_open[part] for total, part in zip(sums[::2], places, strict=True)]
    with np.errstate(all="ignore"):
        worst, best = (
            formula.value(*(each for pair in zip(totals, sizes, strict=True) for each in pair))
            for totals in (sums[::2], passed)
        )
    return worst, best


def _means_and_medians(
    connection: duckdb.DuckDBPyConnection, about: Mapping[str, str], counted: _Counted
) -> dict[Key, tuple[float, float]]:
    """Return the mean and median of the units' own values, for metrics that are no shares."""
    is_other = counted.is_mean & ~counted.cells.is_share
    metrics = {counted.keys[place][2] for place in np.flatnonzero(is_other)}
    if not metrics:
        return {}
    rows = connection.execute(
        f"select {', '.join(_KEYS)}, avg(score), median(score) "
        "from staging.cell_units where suite = $suite and release = $release "
        "and list_contains($metrics, metric) and score is not null group by all",
        {**about, "metrics": sorted(metrics)},
    ).fetchall()
    return {row[:5]: row[5:] for row in rows}


def _bootstrapped(drawn: Floats, cells: Cells, place: int) -> tuple[float | None, float | None]:
    """Return the bootstrap's mean and median of a cell."""
    with np.errstate(all="ignore"):
        values = (drawn @ cells.total.own[:, place]) / (drawn @ cells.size.own[:, place])
    values = values[~np.isnan(values)]
    return (float(values.mean()), float(np.median(values))) if len(values) else (None, None)


def _counting(key: Mapping[str, str], **numbers: Any) -> Iterator[dict[str, Any]]:
    """Yield a row, unless its units count 0 of 0: they only stand for what a ratio leaves out."""
    row = _row(key, **numbers)
    if row["value"] is not None or row["n_unscored"]:
        yield row


def _row(key: Mapping[str, str], **numbers: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("median", "mean", "worst", "best"))
    keep = {"low": estimated, "high": estimated}
    return {
        **key,
        **nothing,
        **{
            name: keep.get(name, rounded)(number) if isinstance(number, float) else number
            for name, number in numbers.items()
        },
    }
