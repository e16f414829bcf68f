"""Expressions over a few cells that are worth trying for a passage."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Literal

from tasks.suites.faith.derivations.tables import Series
from tasks.suites.shared.tables.cells import Cell, Unit
from tasks.suites.shared.tables.evaluate import evaluate

Scenario = Literal["direct lookup", "comparative", "bivariate", "multivariate"]


@dataclass(frozen=True, slots=True)
class Expression:
    """An operation over cells."""

    operation: str
    cells: tuple[Cell, ...]
    value: Decimal  # in ones of the unit; percent for shares and changes in percent
    unit: Unit | Literal["bps"]  # of the value
    scenario: Scenario


_IN_PERCENT = frozenset(
    {"percent_change", "share", "share_point_difference", "percent_change_of_sums"}
)
_IN_BASIS_POINTS = frozenset({"basis_points", "share_basis_points"})
_OF_SUMS = ("percent_change_of_sums", "difference_of_sums")


def lookup(cell: Cell) -> Expression:
    """Take a cell as it stands."""
    return Expression("lookup", (cell,), cell.value, cell.unit, "direct lookup")


def expressions(
    names: Iterable[str], cells: Sequence[Cell], n_metrics: int
) -> Iterator[Expression]:
    """Yield operations over cells of so many metrics, but none that divides by zero."""
    for name in names:
        try:
            value = evaluate(name, [cell.value for cell in cells])
        except ZeroDivisionError:
            continue
        unit: Unit | Literal["bps"] = "percent" if name in _IN_PERCENT else cells[0].unit
        if name in _IN_BASIS_POINTS:
            unit = "bps"
        scenario: Scenario = "multivariate"
        if len(cells) == 2:
            scenario = "comparative" if n_metrics == 1 else "bivariate"
        yield Expression(name, tuple(cells), value, unit, scenario)


def _compared(years: Collection[int], year: int, base: int | None) -> tuple[int, int] | None:
    """Pair a year with the one compared with: the one before, unless the passage names another."""
    earlier = [other for other in years if other < year]
    if year not in years or not earlier:
        return None
    return year, base if base in earlier else max(earlier)


def changes(series: Series, year: int, base: int | None) -> Iterator[Expression]:
    """Yield a metric's changes to a period from the one compared with."""
    if years := _compared(series.by_year, year, base):
        new, old = (series.by_year[each] for each in years)
        names = ["percent_change", "difference"]
        if new.unit == "percent":
            names = ["point_difference", "basis_points", "percent_change"]
        if (new.value < 0) != (old.value < 0):  # a percentage change across zero means nothing
            names.remove("percent_change")
        yield from expressions(names, (new, old), 1)


def averages(series: Series, year: int) -> Iterator[Expression]:
    """Yield the mean of a metric at the ends of two periods."""
    if year in series.by_year and year - 1 in series.by_year:
        yield from expressions(("average",), (series.by_year[year], series.by_year[year - 1]), 1)


def shares(part: Cell, wholes: Iterable[Cell]) -> Iterator[Expression]:
    """Yield a cell as a percentage of others, all of one period."""
    for whole in wholes:
        if whole is not part and abs(part.value) <= abs(whole.value) * 4:
            yield from expressions(("share",), (part, whole), 2)


def of_pair(one: Cell, other: Cell, *, is_share: bool) -> Iterator[Expression]:
    """Yield one metric as a part of another of the same period, or their difference."""
    if one.unit == other.unit:
        yield from expressions(("share" if is_share else "difference",), (one, other), 2)


def changes_of_shares(
    part: Series, whole: Series, year: int, base: int | None
) -> Iterator[Expression]:
    """Yield how one metric's share of another changed, in points and basis points."""
    if years := _compared(set(part.by_year) & set(whole.by_year), year, base):
        cells = [series.by_year[each] for each in years for series in (part, whole)]
        yield from expressions(("share_point_difference", "share_basis_points"), cells, 2)


def sums(cells: Sequence[Cell], most: int) -> Iterator[Expression]:
    """Yield sums of two to `most` cells of one column."""
    for n in range(2, most + 1):
        for chosen in combinations(cells, n):
            yield from expressions(("sum",), chosen, n)


def changes_of_sum(summed: Sequence[Series], year: int, base: int | None) -> Iterator[Expression]:
    """Yield how metrics together changed from the period compared with."""
    if years := _compared(set.intersection(*(set(each.by_year) for each in summed)), year, base):
        cells = [series.by_year[each] for each in years for series in summed]
        yield from expressions(_OF_SUMS, cells, len(summed))


def changes_of_quarters(
    quarters: Mapping[int, Sequence[Cell]], year: int, base: int | None
) -> Iterator[Expression]:
    """Yield a metric's changes from one year to another, by their quarters."""
    against = base if base is not None and base in quarters else year - 1
    if against in quarters and against < year:
        yield from expressions(_OF_SUMS, [*quarters[year], *quarters[against]], 1)
