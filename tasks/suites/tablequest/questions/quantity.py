"""Quantities: exact values of cells with what they measure, and arithmetic that keeps both.

A value is in ones of its unit: dollars, things, percent. A unit is made of money, amounts (bare
numbers: counts, or money without a sign) and rates (so much per thing). Money divided by an amount
is a rate, and what cancels leaves a ratio. Adding needs equal units.

A ratio times 100 is in percent, as cells in percent are, and percent divided by 100 is a ratio.
Only a factor of exactly 100 does so. The difference of two ratios or percentages of cells is in
percentage points; a ratio less a number, as `A / B - 1`, is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from tasks.suites.shared.tables.cells import Cell

Kind = Literal["money", "amount", "rate", "ratio", "percent"]
# Base units with their powers, and what has them.
_Powers = tuple[tuple[str, int], ...]
_KINDS: dict[_Powers, Kind] = {
    (("money", 1),): "money",
    (("amount", 1),): "amount",
    (("rate", 1),): "rate",
    (("amount", -1), ("money", 1)): "rate",
    (("amount", 1), ("rate", 1)): "money",
    (("money", 1), ("rate", -1)): "amount",
}
_HUNDRED = Decimal(100)


class UnitsDoNotFit(ValueError):
    """A calculation that mixes units, or whose result has none that makes sense."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One value with its unit.

    Attributes:
        hundreds: powers of 100 in the value besides its unit: 1 of what is in percent.
        is_points: whether it is a difference of ratios or percentages.
        is_literal: whether a calculation states it, and no cell.
    """

    value: Decimal
    powers: _Powers = ()
    hundreds: int = 0
    is_points: bool = False
    is_literal: bool = False

    @property
    def kind(self) -> Kind:
        """What it measures.

        Raises:
            UnitsDoNotFit: its unit makes no sense, such as dollars times dollars.
        """
        if not self.powers and self.hundreds in (0, 1):
            return "percent" if self.hundreds else "ratio"
        if self.powers in _KINDS and not self.hundreds:
            return _KINDS[self.powers]
        unit = " ".join(f"{name}^{power}" for name, power in self.powers) or "ratio"
        raise UnitsDoNotFit(f"the result's unit makes no sense: {unit}, 100^{self.hundreds}")

    def __add__(self, other: Quantity) -> Quantity:
        return self._with(other, self.value + other.value, self.is_points and other.is_points)

    def __sub__(self, other: Quantity) -> Quantity:
        is_points = not (self.powers or self.is_literal or other.is_literal)
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
        if self.powers != other.powers or (
            self.hundreds != other.hundreds and not (self.is_literal or other.is_literal)
        ):
            raise UnitsDoNotFit("it adds or subtracts what has different units")
        return Quantity(value, cell.powers, cell.hundreds, is_points)

    def _scaled(self, other: Quantity, value: Decimal, sign: int) -> Quantity:
        """Make a product, or a quotient if the sign is -1."""
        if self.is_literal and other.is_literal:
            return replace(self, value=value)
        counted: Counter[str] = Counter(dict(self.powers))
        for name, power in other.powers:
            counted[name] += sign * power
        powers = tuple(sorted((name, power) for name, power in counted.items() if power))
        hundreds = self._hundreds_in(self) + sign * self._hundreds_in(other)
        is_points = (self.is_points and other.is_literal) or (self.is_literal and other.is_points)
        return Quantity(value, powers, hundreds, is_points)

    @staticmethod
    def _hundreds_in(factor: Quantity) -> int:
        return int(factor.value == _HUNDRED) if factor.is_literal else factor.hundreds


def literal(value: Decimal) -> Quantity:
    """Make a number that a calculation states."""
    return Quantity(value, is_literal=True)


def of_cell(cell: Cell) -> Quantity:
    """Make a cell's quantity."""
    if cell.unit != "percent":
        return Quantity(cell.value, ((cell.unit, 1),))
    in_points = any(mark in cell.text.lower() for mark in ("pt", "point", "bp"))
    return Quantity(cell.value, hundreds=1, is_points=in_points)


def is_stated(quantity: Quantity, cells: Iterable[Cell]) -> bool:
    """Tell whether a cell states a calculated quantity, at the precision of the cell."""
    for cell in cells:
        stated = of_cell(cell)
        if stated.kind != quantity.kind and {stated.kind, quantity.kind} != {"percent", "ratio"}:
            continue
        value = quantity.value
        if quantity.kind == "ratio" and stated.kind == "percent":
            value *= _HUNDRED
        elif quantity.kind == "percent" and stated.kind == "ratio":
            value /= _HUNDRED
        if abs(value - cell.value) * 2 <= Decimal(1).scaleb(-cell.decimals):
            return True
    return False
