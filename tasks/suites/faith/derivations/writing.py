"""Values as an answer writes them: `$60,922 million`, `126.35%`, `$0.42`."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

from tasks.quantities.figures import find_figures
from tasks.suites.faith.derivations.expressions import Expression

_IN_BRACKETS = re.compile(r"\((\w+)")
_SCALES = ((3, "thousand"), (6, "million"), (9, "billion"))


def written(found: Expression, name: str, *, in_points: bool = False) -> str:
    """Write the value without its sign, as precisely as its cells.

    Args:
        name: the first cell's; it may say what is counted: `Equivalent (MMBOE)`.
        in_points: write percentage points for percent.
    """
    value = abs(found.value)
    decimals = min(cell.decimals for cell in found.cells)
    if found.unit == "bps":
        return f"{_rounded(value, 0)} basis points"
    if found.unit == "percent":
        is_stated = found.operation in (
            "lookup",
            "point_difference",
            "sum",
            "average",
            "difference",
        )
        unit = " percentage points" if in_points else "%"
        return f"{_rounded(value, decimals if is_stated else 2)}{unit}"
    sign = "" if found.unit == "amount" else "$"
    power, word = next(
        ((power, f" {name}") for power, name in _SCALES if power >= -decimals > 0),
        (0, ""),
    )
    counted = _counted(name) if found.unit == "amount" else ""
    return f"{sign}{_rounded(value.scaleb(-power), max(0, decimals + power)):,}{word}{counted}"


def _counted(name: str) -> str:
    """Find what a name's brackets say is counted, after a space; else ""."""
    for word in _IN_BRACKETS.findall(name):
        figures = find_figures(f"1 {word}")
        if figures and figures[0].measure:
            return f" {word}"
    return ""


def _rounded(value: Decimal, decimals: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
