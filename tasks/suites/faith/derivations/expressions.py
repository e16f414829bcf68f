"""Expressions over a few cells that could give a figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Literal

from tasks.quantities.figures import Figure
from tasks.suites.shared.tables.cells import Cell, Unit
from tasks.suites.shared.tables.evaluate import evaluate

Scenario = Literal["direct lookup", "comparative", "bivariate", "multivariate"]

_PRECISION = 80  # digits: enough to round any value of cells to any stated precision


@dataclass(frozen=True, slots=True)
class Expression:
    """An operation over cells, or over a figure of the sentence and a cell."""

    operation: str
    cells: tuple[Cell, ...]
    value: Decimal  # in ones of the unit; percent for shares and changes in percent
    unit: Unit | Literal["bps"]  # of the value
    scenario: Scenario
    stated: tuple[Figure, ...] = ()  # the sentence's, which the operation takes before the cells


_IN_PERCENT = frozenset(
    {"percent_change", "share", "share_point_difference", "percent_change_of_sums"}
)
_IN_BASIS_POINTS = frozenset({"basis_points", "share_basis_points"})


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


def with_figure(name: str, figure: Figure, cell: Cell) -> Iterator[Expression]:
    """Yield an operation over a figure of the sentence and a cell."""
    scenario: Scenario = "bivariate" if name in ("share", "percent_of") else "comparative"
    try:
        value = evaluate(name, [abs(figure.value), cell.value])
    except ZeroDivisionError:
        return
    unit: Unit = "percent" if name in _IN_PERCENT else cell.unit
    yield Expression(name, (cell,), value, unit, scenario, (figure,))


def rounds_to(value: Decimal, to: Decimal, decimals: int) -> bool:
    """Check whether a value rounds to another at so many decimals, signs aside."""
    with localcontext() as context:
        context.prec = _PRECISION
        return abs(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP) == abs(to)
