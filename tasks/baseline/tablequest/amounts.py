"""Amounts as answers state them: the cell's digits with its unit and scale."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext

from tasks.suites.shared.tables.cells import Cell

# A number without footnotes; other cells are not asked for.
_CLEAN = re.compile(r"[-(]?\s?\$?\s?[-(]?\s?(?P<number>[\d,]*\.?\d+)\s?\)?\s?%?\s?\)?")
_PRECISION = 60  # digits; more than any cell has
_SCALES = {0: "", 3: " thousand", 6: " million", 9: " billion"}


@dataclass(frozen=True, slots=True)
class Form:
    """How amounts of a row are written: `$394,328 million`, `12.3%`, `1,234 thousand shares`."""

    symbol: str = ""
    power: int = 0  # of ten: 6 for millions
    decimals: int = 0  # after the point, in its scale
    after: str = ""  # `%`, ` shares`

    def write(self, value: Decimal) -> str:
        """Write a value in ones of its unit."""
        rounded = _rounded(value.scaleb(-self.power), self.decimals)
        sign = "-" if rounded < 0 else ""
        return f"{sign}{self.symbol}{abs(rounded):,f}{_SCALES[self.power]}{self.after}"

    def is_clear(self, value: Decimal) -> bool:
        """Check that no halves are rounded, and that not all digits are lost."""
        scaled = value.scaleb(-self.power)
        up = _rounded(scaled, self.decimals)
        halves = (scaled - up).copy_abs() * 2 == Decimal(1).scaleb(-self.decimals)
        return not halves and (up != 0 or value == 0)


def form_of(cell: Cell, symbol: str, after: str) -> Form | None:
    """Read how a cell is written, or None if it has more than its number."""
    match = _CLEAN.fullmatch(cell.text.strip())
    if match is None:
        return None
    decimals = len(match["number"].partition(".")[2])
    power = decimals - cell.decimals
    if power not in _SCALES:
        return None
    return Form(symbol if cell.unit in ("money", "rate") else "", power, decimals, after)


def percent(value: Decimal) -> str:
    """Write a computed percentage with one decimal, as reports do."""
    return f"{_rounded(value, 1):,f}%"


def is_clear_percent(value: Decimal) -> bool:
    """Check that a percentage with one decimal says something."""
    return Form(decimals=1).is_clear(value) and Decimal("0.1") <= abs(value) < 1000


def _rounded(value: Decimal, decimals: int) -> Decimal:
    with localcontext() as context:
        context.prec = _PRECISION
        return value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
