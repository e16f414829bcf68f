"""Expressions over a few cells that could give a figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Literal

from tasks.suites.shared.tables.cells import Cell, Unit
from tasks.suites.shared.tables.evaluate import evaluate

Scenario = Literal["direct lookup", "comparative", "bivariate", "multivariate"]

_PRECISION = 80  # digits: enough to round any value of cells to any stated precision


@dataclass(frozen=True, slots=True)
class Expression:
    """An operation over cells."""

    operation: str
    cells: tuple[Cell, ...]
    value: Decimal  # in ones of the unit; percent for shares and changes in percent
    unit: Unit | Literal["bps"]  # of the value
    scenario: Scenario


_IN_PERCENT = frozenset({"percent_change", "share", "percent_change_of_sums"})


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
        if name == "basis_points":
            unit = "bps"
        scenario: Scenario = "multivariate"
        if len(cells) == 2:
            scenario = "comparative" if n_metrics == 1 else "bivariate"
        yield Expression(name, tuple(cells), value, unit, scenario)


def rounds_to(value: Decimal, to: Decimal, decimals: int) -> bool:
    """Check whether a value rounds to another at so many decimals, signs aside."""
    with localcontext() as context:
        context.prec = _PRECISION
        return abs(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP) == abs(to)
