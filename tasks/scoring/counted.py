"""What SQL counted, as arrays: sums of groups of filings in cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tasks.statistics.intervals import standard_error, two_way_error
from tasks.statistics.resampling import Summed, draw, redrawn
from tasks.suites.suite import Derived

if TYPE_CHECKING:
    import duckdb

Floats = NDArray[np.float64]

_OWN, _DONOR, _BOTH = 1, 2, 3

# Cells that are resampled at once: 1,000 replicates of each take 16 MB per part.
_BLOCK = 2_000


@dataclass(frozen=True, slots=True)
class Sums:
    """What groups of filings add up to, by the three draws of `staging.sums`.

    Attributes:
        own: groups x cells; all units, by their own filing.
        donor: groups x cells; units with a donor, by that filing.
        both: pairs x cells; the same units, by both filings.
    """

    own: Floats
    donor: Floats
    both: Floats

    @property
    def all(self) -> Floats:
        """The sum of each cell."""
        return self.own.sum(axis=0)

    def __getitem__(self, cells: slice | NDArray[np.int64]) -> Sums:
        return Sums(self.own[:, cells], self.donor[:, cells], self.both[:, cells])


def ratio(total: Floats, size: Floats) -> Floats:
    """Divide totals by sizes."""
    return np.divide(total, size)


def statistic_of(derived: Derived, options: Mapping[str, Any]) -> Callable[..., Floats]:
    """Return a derived metric as a function of its parts' totals and sizes, in turn."""
    given = {option: options[option] for option in derived.options}

    def statistic(*sums: Floats) -> Floats:
        summed = (Summed(total, size) for total, size in zip(sums[::2], sums[1::2], strict=True))
        return derived.value(dict(zip(derived.of, summed, strict=True)), **given)

    return statistic


def error_of(
    statistic: Callable[..., Floats], parts: Sequence[Sums], n_groups: NDArray[np.int64]
) -> Floats:
    """Return the standard error of a statistic of summed parts, one per cell.

    Args:
        statistic: (sum of each part) -> values, on arrays of any shape.
        parts: totals and sizes, in turn.
        n_groups: groups with something scored, per cell.
    """
    found = np.full(len(n_groups), np.nan)
    for start in range(0, len(n_groups), _BLOCK):
        block = slice(start, start + _BLOCK)
        cut = [part[block] for part in parts]
        with np.errstate(all="ignore"):
            drawn = [draw(len(part.own)) @ part.own for part in cut]
            error = standard_error(statistic(*drawn), n_groups[block])
            if any(part.donor.any() for part in cut):
                error = two_way_error(error, *_errors_of_donors(statistic, cut, n_groups[block]))
        found[block] = error
    return found


def at_ends(
    statistic: Callable[..., Floats], ends: Sequence[Floats], sizes: Sequence[Floats]
) -> Floats:
    """Return a statistic of parts that are at an end of their intervals.

    Args:
        statistic: of each part's total and size, in turn.
        ends: one per cell, for each part.
        sizes: likewise.
    """
    return statistic(
        *(each for end, size in zip(ends, sizes, strict=True) for each in (end * size, size))
    )


def _errors_of_donors(
    statistic: Callable[..., Floats], parts: Sequence[Sums], n_groups: NDArray[np.int64]
) -> list[Floats]:
    """Return the errors of units drawn by either filing, and by pairs of filings.

    By their donors, units deviate from the mean of those that have one: how many there are is not
    drawn, as each question has one such case.

    Args:
        parts: totals and sizes, in turn.
    """
    ways: tuple[list[Floats], list[Floats]] = ([], [])
    for total, size in zip(parts[::2], parts[1::2], strict=True):
        mean = np.nan_to_num(total.donor.sum(axis=0) / size.donor.sum(axis=0))
        found = redrawn(
            total.own, size.own, total.donor - mean * size.donor, total.both - mean * size.both
        )
        for way, sums in zip(ways, found, strict=True):
            way += sums
    return [standard_error(statistic(*sums), n_groups) for sums in ways]


def grouped(
    cells: NDArray[np.int64],
    draws: NDArray[Any],
    groups: NDArray[np.int64],
    amounts: Floats,
    n_cells: int,
    n_groups: int,
) -> Sums:
    """Add amounts up by draw (1 own, 2 donor, 3 both), group and cell."""
    pairs, place = np.unique(groups[draws == _BOTH], return_inverse=True)

    def added(draw_number: int, rows: NDArray[np.int64], n_rows: int) -> Floats:
        is_of = draws == draw_number
        flat = np.bincount(
            rows * n_cells + cells[is_of], weights=amounts[is_of], minlength=n_rows * n_cells
        )
        return flat.astype(np.float64, copy=False).reshape(n_rows, n_cells)

    return Sums(
        added(_OWN, groups[draws == _OWN], n_groups),
        added(_DONOR, groups[draws == _DONOR], n_groups),
        added(_BOTH, place.astype(np.int64), len(pairs)),
    )


def columns_of(connection: duckdb.DuckDBPyConnection, query: str, **given: Any) -> dict[str, Any]:
    """Return a query's columns as arrays, by name; nulls of numbers are nan."""
    found = connection.execute(query, given or None).fetchnumpy()
    return {
        name: column.filled(np.nan)
        if isinstance(column, np.ma.MaskedArray) and column.dtype.kind == "f"
        else column
        for name, column in found.items()
    }


def groups_of(connection: duckdb.DuckDBPyConnection, suite: str, release: str) -> int:
    """Count the groups that are drawn anew in a release: of filings, and of donors if others."""
    ((last,),) = connection.execute(
        "select coalesce(max(number), -1) from ("
        "select max(group_number) as number from staging.pairs "
        "where suite = $suite and release = $release union all "
        "select max(donor_group_number) from staging.subjects "
        "where suite = $suite and release = $release)",
        {"suite": suite, "release": release},
    ).fetchall()
    return int(last) + 1


def numbers_of(units: str, of_parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return how many units a metric leans on, from those of its parts (`Derived.units`)."""
    numbers = np.array(of_parts)
    if units == "apart":
        return numbers.sum(axis=0)
    return numbers.max(axis=0) if units == "same" else numbers.min(axis=0)


def rounded(value: float) -> float | None:
    """Round a sum or ratio, which another order of units would change; nan becomes None."""
    return None if np.isnan(value) else round(float(value), 12)


def estimated(value: float, least: float = 1e-12) -> float | None:
    """Keep nine digits of an estimate, which are the same on every machine; nan becomes None.

    What is less than `least` is what divisions round off, and becomes 0.
    """
    if np.isnan(value):
        return None
    return float(f"{value:.9g}") if abs(value) >= least else 0.0
