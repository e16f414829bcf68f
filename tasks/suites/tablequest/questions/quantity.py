"""Quantities: exact values of cells with what they measure, and arithmetic that keeps both.

A value is in ones of its unit: dollars, things, percent. A ratio times 100 is in percent, as cells
in percent are, and percent divided by 100 is a ratio. The difference of two ratios or percentages
of cells is in percentage points; a ratio less a number, as `A / B - 1`, is not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from tasks.suites.shared.tables.cells import Cell

Unit = Literal["money", "amount", "rate", ""]
# What two units make; "" is that of a ratio.
_PRODUCTS: dict[tuple[str, str], Unit] = {("amount", "rate"): "money", ("rate", "amount"): "money"}
_QUOTIENTS: dict[tuple[str, str], Unit] = {("money", "amount"): "rate", ("money", "rate"): "amount"}
_HUNDRED = Decimal(100)


class UnitsDoNotFit(ValueError):
    """A calculation that mixes units, or whose result has none that makes sense."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One value with its unit."""

    value: Decimal
    unit: Unit = ""
    hundreds: int = 0  # powers of 100 in the value besides its unit: 1 of what is in percent
    is_points: bool = False  # whether it is a difference of ratios or percentages
    is_literal: bool = False  # whether a calculation states it, and no cell

    @property
    def kind(self) -> str:
        """What it measures: money, amount, rate, ratio or percent.

        Raises:
            UnitsDoNotFit: it is 100 times something else.
        """
        if self.hundreds not in ((0,) if self.unit else (0, 1)):
            raise UnitsDoNotFit("the result is a multiple of its unit")
        return self.unit or ("percent" if self.hundreds else "ratio")

    def __add__(self, other: Quantity) -> Quantity:
        return self._with(other, self.value + other.value, self.is_points and other.is_points)

    def __sub__(self, other: Quantity) -> Quantity:
        is_points = not (self.unit or self.is_literal or other.is_literal)
        return self._with(other, self.value - other.value, is_points)

    def __neg__(self) -> Quantity:
        return replace(self, value=-self.value)

    def __mul__(self, other: Quantity) -> Quantity:
        return self._scaled(other, self.value * other.value, 1)

    def __truediv__(self, other: Quantity) -> Quantity:
        return self._scaled(other, self.value / other.value, -1)

    def _with(self, other: Quantity, value: Decimal, is_points: bool) -> Quantity:
        """Make a sum or difference, in the unit of both."""
        if self.is_literal and other.is_literal:
            return replace(self, value=value)
        cell = other if self.is_literal else self
        has_literal = self.is_literal or other.is_literal
        if self.unit != other.unit or (self.hundreds != other.hundreds and not has_literal):
            raise UnitsDoNotFit("it adds or subtracts what has different units")
        return Quantity(value, cell.unit, cell.hundreds, is_points)

    def _scaled(self, other: Quantity, value: Decimal, sign: int) -> Quantity:
        """Make a product, or a quotient if the sign is -1."""
        if self.is_literal and other.is_literal:
            return replace(self, value=value)
        units = (self.unit, other.unit)
        if not other.unit or (sign > 0 and not self.unit):
            unit = self.unit or other.unit
        elif sign < 0 and self.unit == other.unit:
            unit = ""
        elif units in (known := _PRODUCTS if sign > 0 else _QUOTIENTS):
            unit = known[units]
        else:
            raise UnitsDoNotFit(f"a result of {self.unit or 'ratio'} and {other.unit} has no unit")
        hundreds = self._factors() + sign * other._factors()
        is_points = (self.is_points and other.is_literal) or (self.is_literal and other.is_points)
        return Quantity(value, unit, hundreds, is_points)

    def _factors(self) -> int:
        return int(self.value == _HUNDRED) if self.is_literal else self.hundreds


def literal(value: Decimal) -> Quantity:
    """Make a number that a calculation states."""
    return Quantity(value, is_literal=True)


def of_cell(cell: Cell) -> Quantity:
    """Make a cell's quantity."""
    if cell.unit != "percent":
        return Quantity(cell.value, cell.unit)
    in_points = any(mark in cell.text.lower() for mark in ("pt", "point", "bp"))
    return Quantity(cell.value, hundreds=1, is_points=in_points)


def is_stated(quantity: Quantity, cell: Cell) -> bool:
    """Tell whether a cell states a calculated quantity, at the precision of the cell."""
    stated = of_cell(cell)
    if stated.unit != quantity.unit:
        return False
    value = quantity.value * _HUNDRED ** (stated.hundreds - quantity.hundreds)
    return abs(value - cell.value) * 2 <= Decimal(1).scaleb(-cell.decimals)
