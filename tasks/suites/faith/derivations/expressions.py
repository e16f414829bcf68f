"""Expressions over a few cells that are worth trying for a passage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Literal

from tasks.suites.faith.derivations.cells import Cell, Unit
from tasks.suites.faith.derivations.evaluate import evaluate
from tasks.suites.faith.derivations.tables import Series

Scenario = Literal["direct lookup", "comparative", "bivariate", "multivariate"]


@dataclass(frozen=True, slots=True)
class Expression:
    """An operation over cells.

    Attributes:
        value: in ones of the unit; percent for shares and changes in percent.
        unit: of the value.
    """

    operation: str
    cells: tuple[Cell, ...]
    value: Decimal
    unit: Unit | Literal["bps"]
    scenario: Scenario


_IN_PERCENT = frozenset(
    {"percent_change", "share", "share_point_difference", "percent_change_of_sums"}
)
_IN_BASIS_POINTS = frozenset({"basis_points", "share_basis_points"})


def lookup(cell: Cell) -> Expression:
    """Take a cell as it stands."""
    return Expression("lookup", (cell,), cell.value, cell.unit, "direct lookup")


def expression(operation: str, cells: Sequence[Cell], n_metrics: int) -> Expression | None:
    """Make an expression with its value; None for a division by zero."""
    try:
        value = evaluate(operation, [cell.value for cell in cells])
    except ZeroDivisionError:
        return None
    unit: Unit | Literal["bps"] = "percent" if operation in _IN_PERCENT else cells[0].unit
    if operation in _IN_BASIS_POINTS:
        unit = "bps"
    return Expression(
        operation,
        tuple(cells),
        value,
        unit,
        _scenario(operation, len(cells), n_metrics),
    )


def _scenario(operation: str, n_cells: int, n_metrics: int) -> Scenario:
    if operation == "lookup":
        return "direct lookup"
    if n_metrics == 1 and n_cells == 2:
        return "comparative"
    return "bivariate" if n_metrics == 2 and n_cells == 2 else "multivariate"


def changes(series: Series, year: int, base: int | None) -> Iterator[Expression]:
    """Yield a metric's changes to a period from the one compared with.

    That is the one before, unless the passage names another.
    """
    if year not in series.by_year:
        return
    earlier = sorted((other for other in series.by_year if other < year), reverse=True)
    against = base if base in earlier else earlier[0] if earlier else None
    if against is None:
        return
    pair = (series.by_year[year], series.by_year[against])
    names = (
        ("percent_change", "difference")
        if pair[0].unit != "percent"
        else ("point_difference", "basis_points", "percent_change")
    )
    for name in names:
        # a percentage change across zero means nothing
        if name == "percent_change" and (pair[0].value < 0) != (pair[1].value < 0):
            continue
        if found := expression(name, pair, 1):
            yield found


def averages(series: Series, year: int) -> Iterator[Expression]:
    """Yield the mean of a metric at the ends of two periods."""
    if year in series.by_year and year - 1 in series.by_year:
        found = expression("average", (series.by_year[year], series.by_year[year - 1]), 1)
        if found:
            yield found


def shares(part: Cell, wholes: Iterable[Cell]) -> Iterator[Expression]:
    """Yield a cell as a percentage of others, all of one period."""
    for whole in wholes:
        if whole is part or whole.value == 0 or abs(part.value) > abs(whole.value) * 4:
            continue
        if found := expression("share", (part, whole), 2):
            yield found


def of_pair(one: Cell, other: Cell, *, is_share: bool) -> Iterator[Expression]:
    """Yield one metric as a part of another, or their difference.

    Both are of the same period.
    """
    if one.unit == other.unit and (
        found := expression("share" if is_share else "difference", (one, other), 2)
    ):
        yield found


def changes_of_shares(
    part: Series, whole: Series, year: int, base: int | None
) -> Iterator[Expression]:
    """Yield how one metric's share of another changed, in points and basis points."""
    common = set(part.by_year) & set(whole.by_year)
    earlier = sorted((other for other in common if other < year), reverse=True)
    against = base if base in earlier else earlier[0] if earlier else None
    if year in common and against is not None:
        cells = [series.by_year[when] for when in (year, against) for series in (part, whole)]
        for name in ("share_point_difference", "share_basis_points"):
            if found := expression(name, cells, 2):
                yield found


def sum_of(cells: Sequence[Cell]) -> Expression | None:
    """Add up cells of different metrics; None if their units differ."""
    return expression("sum", cells, len(cells)) if len({cell.unit for cell in cells}) == 1 else None


def sums(cells: Sequence[Cell], most: int) -> Iterator[Expression]:
    """Yield sums of two to `most` cells of one column."""
    for n in range(2, most + 1):
        for chosen in combinations(cells, n):
            if found := expression("sum", chosen, n):
                yield found


def changes_of_sums(rows: Sequence[Series], year: int, base: int | None) -> Iterator[Expression]:
    """Yield how two metrics together changed."""
    for chosen in combinations(rows, 2):
        yield from changes_of_sum(chosen, year, base)


def changes_of_sum(summed: Sequence[Series], year: int, base: int | None) -> Iterator[Expression]:
    """Yield how metrics together changed from the period compared with.

    That is the one before, unless the passage names another.
    """
    common = set.intersection(*(set(series.by_year) for series in summed))
    earlier = sorted((other for other in common if other < year), reverse=True)
    against = base if base in earlier else earlier[0] if earlier else None
    if year not in common or against is None:
        return
    cells = [series.by_year[when] for when in (year, against) for series in summed]
    for name in ("percent_change_of_sums", "difference_of_sums"):
        if found := expression(name, cells, len(summed)):
            yield found


def year_of_quarters(quarters: Mapping[int, Sequence[Cell]], year: int) -> Expression | None:
    """Sum a metric's four quarters of a year."""
    return expression("sum", quarters[year], 1)


def changes_of_quarters(
    quarters: Mapping[int, Sequence[Cell]], year: int, base: int | None
) -> Iterator[Expression]:
    """Yield a metric's changes from one year to another, by their quarters."""
    against = base if base is not None and base in quarters else year - 1
    if against in quarters and against < year:
        for name in ("percent_change_of_sums", "difference_of_sums"):
            if found := expression(name, [*quarters[year], *quarters[against]], 1):
                yield found
