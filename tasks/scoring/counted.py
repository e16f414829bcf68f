"""What SQL counted, as arrays: sums of groups of filings in cells, and values with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from tasks.statistics import FEWEST_GROUPS, Bools, Floats, Ints
from tasks.statistics.intervals import (
    share_error,
    share_interval,
    standard_error,
    student_interval,
    two_way_error,
)
from tasks.statistics.resampling import Summed, draw, redrawn
from tasks.suites.suite import Derived

if TYPE_CHECKING:
    import duckdb

# Cells that are resampled at once: 1,000 replicates of each take 16 MB per part.
_BLOCK = 2_000


@dataclass(frozen=True, slots=True)
class Sums:
    """What groups of filings add up to, by the three draws of `staging.sums`."""

    own: Floats  # groups x cells; all units, by their own filing
    donor: Floats  # groups x cells; units with a donor, by that filing
    both: Floats  # pairs x cells; the same units, by both filings

    @property
    def all(self) -> Floats:
        """The sum of each cell."""
        return self.own.sum(axis=0)

    def __getitem__(self, cells: slice | Ints) -> Sums:
        return Sums(self.own[:, cells], self.donor[:, cells], self.both[:, cells])


@dataclass(frozen=True, slots=True)
class Cells:
    """What units add up to, one entry per cell."""

    total: Sums  # of numerators
    size: Sums  # of denominators
    n: Ints  # scored units
    n_groups: Ints  # groups of filings with a scored unit
    is_share: Bools  # whether every unit is 0 or 1
    is_bounded: Bools  # whether every unit lies between 0 and 1

    def __getitem__(self, cells: Ints) -> Cells:
        return Cells(*(getattr(self, field.name)[cells] for field in fields(self)))


@dataclass(frozen=True, slots=True)
class Formula:
    """A metric as a function of the totals and sizes of its parts, in turn.

    `grows` and `units` are those of `Derived`; a `share` lies between 0 and 1.
    """

    name: str
    value: Callable[..., Floats]
    is_share: bool
    grows: bool = True
    units: str = "same"


def ratio(total: Floats, size: Floats) -> Floats:
    """Divide totals by sizes."""
    return np.divide(total, size)


def formula_of(name: str, derived: Derived, options: Mapping[str, Any]) -> Formula:
    """Return a derived metric as a function of its parts' totals and sizes."""
    settings = {option: options[option] for option in derived.options}

    def value(*sums: Floats) -> Floats:
        summed = (Summed(total, size) for total, size in zip(sums[::2], sums[1::2], strict=True))
        return derived.value(dict(zip(derived.of, summed, strict=True)), **settings)

    return Formula(name, value, derived.is_share, derived.grows, derived.units)


def estimate(formula: Formula, parts: Sequence[Cells]) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the value of each cell, both ends of its interval, and its standard error.

    Where no replicate of a metric of several parts differs, its ends are those of its parts' ends,
    if it grows with them. Ends are nan if there are too few groups.
    """
    sums = in_turn(parts)
    n_groups = groups_with_all(parts)
    with np.errstate(all="ignore"):
        totals = [part.all for part in sums]
        value, error = formula.value(*totals), error_of(formula.value, sums, n_groups)
        is_bounded: Bools | bool = formula.is_share
        if len(parts) == 1:
            (part,) = parts
            of_share = share_error(error, value, part.n, n_groups)
            error, is_bounded = np.where(part.is_share, of_share, error), part.is_bounded
        bounded = share_interval(value, error, n_groups)
        low, high = np.where(is_bounded, bounded, student_interval(value, error, n_groups))
        alike = np.flatnonzero(error == 0)
        if len(parts) > 1 and len(alike):
            of_parts = [estimate(Formula("", ratio, True), (part[alike],)) for part in parts]
            sizes = [size[alike] for size in totals[1::2]]
            for place, end in ((1, low), (2, high)):
                at_end = (
                    part_sums
                    for part, size in zip(of_parts, sizes, strict=True)
                    for part_sums in (part[place] * size, size)
                )
                end[alike] = formula.value(*at_end) if formula.grows else np.nan
    is_known = n_groups >= FEWEST_GROUPS
    return value, np.where(is_known, low, np.nan), np.where(is_known, high, np.nan), error


def in_turn(parts: Sequence[Cells]) -> list[Sums]:
    """List the totals and sizes of parts, in turn."""
    return [sums for part in parts for sums in (part.total, part.size)]


def groups_with_all(parts: Sequence[Cells]) -> Ints:
    """Count the groups that each cell of a metric leans on: the fewest of its parts."""
    return np.min([part.n_groups for part in parts], axis=0)


def error_of(value: Callable[..., Floats], sums: Sequence[Sums], n_groups: Ints) -> Floats:
    """Return the standard error of a function of sums, one per cell.

    `sums` are the function's arguments: totals and sizes, in turn, here of groups.
    """
    errors = np.full(len(n_groups), np.nan)
    for start in range(0, len(n_groups), _BLOCK):
        block = slice(start, start + _BLOCK)
        cut = [part[block] for part in sums]
        with np.errstate(all="ignore"):
            drawn = [draw(len(part.own)) @ part.own for part in cut]
            error = standard_error(value(*drawn), n_groups[block])
            if any(part.donor.any() for part in cut):
                error = two_way_error(error, *_errors_of_donors(value, cut, n_groups[block]))
        errors[block] = error
    return errors


def _errors_of_donors(
    value: Callable[..., Floats], sums: Sequence[Sums], n_groups: Ints
) -> list[Floats]:
    """Return the errors of units drawn by either filing, and by pairs of filings.

    By their donors, units deviate from the mean of those that have one: how many there are is not
    drawn, as each question has one such case.
    """
    ways: tuple[list[Floats], list[Floats]] = ([], [])
    for total, size in zip(sums[::2], sums[1::2], strict=True):
        mean = np.nan_to_num(total.donor.sum(axis=0) / size.donor.sum(axis=0))
        donor, both = total.donor - mean * size.donor, total.both - mean * size.both
        for way, drawn in zip(ways, redrawn(total.own, size.own, donor, both), strict=True):
            way += drawn
    return [standard_error(value(*drawn), n_groups) for drawn in ways]


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


def numbers_of(units: str, of_parts: Sequence[Ints]) -> Ints:
    """Return how many units a metric leans on, from those of its parts (`Derived.units`)."""
    if units == "apart":
        return np.sum(of_parts, axis=0)
    return np.max(of_parts, axis=0) if units == "same" else np.min(of_parts, axis=0)


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
