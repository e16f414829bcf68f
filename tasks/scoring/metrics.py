"""Metrics with intervals, from the sums of units that SQL counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tasks.core.progress import tell
from tasks.core.rows import Metric
from tasks.scoring.counted import (
    Floats,
    at_ends,
    columns_of,
    error_of,
    estimated,
    grouped,
    groups_of,
    numbers_of,
    ratio,
    rounded,
    statistic_of,
)
from tasks.scoring.ratings import ratings_of
from tasks.statistics.intervals import (
    FEWEST_GROUPS,
    share_error,
    share_interval,
    student_interval,
)
from tasks.statistics.resampling import draw
from tasks.suites.suite import Derived, Rating, Suite

if TYPE_CHECKING:
    import duckdb

# model, judge, metric, slice_by, slice_value
Cell = tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a metric's units are like.

    Attributes:
        is_share: each is 0 or 1.
        is_mean: each counts once: its denominator is 1.
        is_bounded: each is between 0 and 1, so the value is.
    """

    is_share: bool
    is_mean: bool
    is_bounded: bool


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
    connection.execute(
        "create or replace temp table sums as select * from staging.sums "
        "where suite = $suite and release = $release",
        about,
    )
    connection.execute(
        "create or replace temp table cells as select *, row_number() over () - 1 as place from ("
        "select cell, any_value(model) as model, any_value(judge) as judge, any_value(metric) as "
        "metric, any_value(slice_by) as slice_by, any_value(slice_value) as slice_value, "
        "sum(n)::bigint as n, sum(n_unscored)::bigint as n_unscored, "
        "sum(n_open)::bigint as n_open, "
        "count(*) filter (where n > 0) as n_groups from sums where draw = 'own' group by cell)"
    )
    kinds = {
        metric: Kind(*flags)
        for metric, *flags in connection.execute(
            "select distinct metric, is_share, is_mean, is_bounded from sums"
        ).fetchall()
    }
    rows = connection.execute("select * exclude (cell, place) from cells order by place").fetchall()
    found = columns_of(
        connection,
        "select place, list_position(['own', 'donor', 'both'], draw)::tinyint as draw, "
        "group_number, total, size from sums inner join cells using (cell)",
    )
    counted = _Counted(rows, found, groups_of(connection, suite.name, release))
    others = [name for name, kind in kinds.items() if kind.is_mean and not kind.is_share]
    of_units = _means_and_medians(connection, about, others)
    metrics = list(_of_units(counted, kinds, of_units))
    ends = np.array([[row["low"], row["high"]] for row in metrics], dtype=np.float64)
    metrics = list(_counting(metrics))
    for name, derived in suite.metrics.items():
        if isinstance(derived, Derived):
            of_sums = _of_sums(counted, kinds, ends.reshape(-1, 2), name, derived, options)
            metrics += _counting(of_sums)
        else:
            metrics += _rated(connection, about, name, derived, options)
    return sorted(
        (Metric(suite=suite.name, release=release, score_id="", **row) for row in metrics),
        key=lambda row: (row.model, row.judge, row.metric, row.slice_by, row.slice_value),
    )


class _Counted:
    """Cells in one order: their keys, counts and sums."""

    def __init__(
        self, rows: Sequence[tuple[Any, ...]], found: Mapping[str, Any], n_groups: int
    ) -> None:
        self.cells: list[Cell] = [row[:5] for row in rows]
        self.place = {cell: place for place, cell in enumerate(self.cells)}
        n, n_unscored, n_open, scored_groups = (
            zip(*(row[5:] for row in rows), strict=True) if rows else ((),) * 4
        )
        self.n = np.array(n, dtype=np.int64)
        self.n_unscored = np.array(n_unscored, dtype=np.int64)
        self.n_open = np.array(n_open, dtype=np.int64)
        self.n_groups = np.array(scored_groups, dtype=np.int64)
        groups = found["group_number"]
        size = len(rows), n_groups
        self.total, self.size = (
            grouped(found["place"], found["draw"], groups, found[name], *size)
            for name in ("total", "size")
        )


def _counting(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Leave out rows of units that count 0 of 0: they only stand for what a ratio leaves out."""
    return (row for row in rows if row["value"] is not None or row["n_unscored"])


def _of_units(
    counted: _Counted, kinds: Mapping[str, Kind], of_units: Mapping[Cell, tuple[float, float]]
) -> Iterator[dict[str, Any]]:
    """Yield the metrics that are sums over sums."""
    total, size = counted.total.all, counted.size.all
    names = [cell[2] for cell in counted.cells]
    is_share = np.array([kinds[name].is_share for name in names], dtype=bool)
    is_bounded = np.array([kinds[name].is_bounded for name in names], dtype=bool)
    with np.errstate(all="ignore"):
        value = total / size
        # the value whatever the unscored units had been
        everything = size + counted.n_unscored
        worst, best = total / everything, (total + counted.n_open) / everything
        error = error_of(ratio, (counted.total, counted.size), counted.n_groups)
        error = np.where(is_share, share_error(error, value, counted.n, counted.n_groups), error)
    low, high = _interval(value, error, counted.n_groups, is_bounded)
    is_mean = np.array([kinds[name].is_mean for name in names], dtype=bool)
    has_bounds = is_bounded & is_mean
    of_replicates = _bootstrapped(counted, np.flatnonzero(~is_mean | is_share))
    for place, cell in enumerate(counted.cells):
        if is_share[place]:  # the median of units that are 0 or 1 says nothing
            mean, median = value[place], of_replicates[place][1]
        elif not is_mean[place]:
            mean, median = of_replicates[place]
        else:
            mean, median = of_units.get(cell, (None, None))
        yield _row(
            cell,
            n=int(counted.n[place]),
            n_unscored=int(counted.n_unscored[place]),
            n_groups=int(counted.n_groups[place]),
            value=value[place],
            median=median,
            mean=mean,
            low=low[place],
            high=high[place],
            worst=worst[place] if has_bounds[place] else None,
            best=best[place] if has_bounds[place] else None,
        )


def _tell_parts_apart(counted: _Counted, name: str, derived: Derived) -> None:
    """Tell that a metric has no value since no judge gives all of its parts."""
    judges = [{cell[1] for cell in counted.cells if cell[2] == part} for part in derived.of]
    if all(judges) and not set.intersection(*judges):
        tell(f'"{name}" has no value: no judge gives all of {", ".join(derived.of)}')


def _of_sums(
    counted: _Counted,
    kinds: Mapping[str, Kind],
    ends: Floats,
    name: str,
    derived: Derived,
    options: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    """Yield a metric made of others, in each cell that has units of all of them.

    Args:
        ends: (low, high) of each cell.
    """
    keys = [
        (model, judge, slice_by, slice_value)
        for model, judge, metric, slice_by, slice_value in counted.cells
        if metric == derived.of[0]
        and all((model, judge, part, slice_by, slice_value) in counted.place for part in derived.of)
    ]
    if not keys:
        _tell_parts_apart(counted, name, derived)
        return
    places = [
        np.array([counted.place[m, j, part, by, at] for m, j, by, at in keys], dtype=np.int64)
        for part in derived.of
    ]
    n = numbers_of(derived.units, [counted.n[place] for place in places])
    of_unscored = [counted.n_unscored[place] for place in places]
    n_unscored = (np.max if derived.units == "same" else np.sum)(of_unscored, axis=0)
    n_groups = np.min([counted.n_groups[place] for place in places], axis=0)
    parts = [each for place in places for each in (counted.total[place], counted.size[place])]

    statistic = statistic_of(derived, options)
    with np.errstate(all="ignore"):
        sums = [part.all for part in parts]
        value = statistic(*sums)
        error = error_of(statistic, parts, n_groups)
        low, high = _interval(value, error, n_groups, np.full(len(keys), derived.is_share))
        # where no replicate differs, its ends are those of its parts' ends, if it grows with them
        agree = error == 0
        for found, side in ((low, 0), (high, 1)):
            alike = at_ends(statistic, [ends[place, side] for place in places], sums[1::2])
            found[agree] = alike[agree] if derived.grows else np.nan
        worst = best = np.full(len(keys), np.nan)
        if derived.grows and all(kinds[part].is_share for part in derived.of):
            bounds = []
            of_open = [counted.n_open[place] for place in places]
            for passed in ([np.zeros_like(each) for each in of_open], of_open):
                at = [
                    each
                    for total, size, more, left in zip(
                        sums[::2], sums[1::2], passed, of_unscored, strict=True
                    )
                    for each in (total + more, size + left)
                ]
                bounds.append(statistic(*at))
            worst, best = bounds
    for place, (model, judge, slice_by, slice_value) in enumerate(keys):
        yield _row(
            (model, judge, name, slice_by, slice_value),
            n=int(n[place]),
            n_unscored=int(n_unscored[place]),
            n_groups=int(n_groups[place]),
            value=value[place],
            median=None,
            mean=None,
            low=low[place],
            high=high[place],
            worst=worst[place],
            best=best[place],
        )


def _rated(
    connection: duckdb.DuckDBPyConnection,
    about: Mapping[str, str],
    name: str,
    rating: Rating,
    options: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    """Yield a rating of models, in each cell that has games."""
    n_groups = groups_of(connection, about["suite"], about["release"])
    for model, judge, slice_by, slice_value, found in ratings_of(
        connection, about, rating, options, n_groups
    ):
        cell = (model, judge, name, slice_by, slice_value)
        yield _row(cell, median=None, mean=None, worst=None, best=None, **found)


def _interval(
    value: Floats, error: Floats, n_groups: NDArray[np.int64], is_bounded: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    bounded, open_ended = (
        share_interval(value, error, n_groups),
        student_interval(value, error, n_groups),
    )
    is_known = n_groups >= FEWEST_GROUPS
    low, high = (
        np.where(is_known, np.where(is_bounded, bounded[side], open_ended[side]), np.nan)
        for side in (0, 1)
    )
    return low, high


def _means_and_medians(
    connection: duckdb.DuckDBPyConnection, about: Mapping[str, str], metrics: Sequence[str]
) -> dict[Cell, tuple[float, float]]:
    """Return the mean and median of the units' own values, for metrics that are no shares."""
    if not metrics:
        return {}
    rows = connection.execute(
        "select model, judge, metric, slice_by, slice_value, avg(score), median(score) "
        "from staging.cell_units where suite = $suite and release = $release "
        "and list_contains($metrics, metric) and score is not null group by all",
        {**about, "metrics": list(metrics)},
    ).fetchall()
    return {(m, j, metric, by, at): values for m, j, metric, by, at, *values in rows}


def _bootstrapped(
    counted: _Counted, places: NDArray[np.int64]
) -> dict[int, tuple[float | None, float | None]]:
    """Return the bootstrap's mean and median by place (paper 002, section 2.4, reports them)."""
    found: dict[int, tuple[float | None, float | None]] = {}
    drawn = draw(len(counted.total.own))
    for place in places.tolist():
        with np.errstate(all="ignore"):
            values = (drawn @ counted.total.own[:, place]) / (drawn @ counted.size.own[:, place])
        values = values[~np.isnan(values)]
        found[place] = (
            (float(values.mean()), float(np.median(values))) if len(values) else (None, None)
        )
    return found


def _row(cell: Cell, *, low: float, high: float, **values: Any) -> dict[str, Any]:
    names = ("model", "judge", "metric", "slice_by", "slice_value")
    return dict(zip(names, cell, strict=True)) | {
        **{name: rounded(v) if isinstance(v, float) else v for name, v in values.items()},
        "low": estimated(low),
        "high": estimated(high),
    }
