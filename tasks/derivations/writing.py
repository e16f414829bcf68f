"""An expression's value as an answer writes it: `$60,922 million`, `126.35%`, `$0.42`."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from tasks.derivations.expressions import Expression

_SCALES = ((3, "thousand"), (6, "million"), (9, "billion"))


def written(found: Expression, unit: str | None) -> str:
    """The value without its sign, as precise as its cells; `unit` is percent, bps or None for any other."""
    value = abs(found.value)
    decimals = min(cell.decimals for cell in found.cells)
    if unit == "bps":
        return f"{_rounded(value * 100, 0)} basis points"
    if found.unit == "percent":
        is_stated = found.operation in (
            "lookup",
            "point_difference",
            "sum",
            "average",
            "difference",
        )
        return f"{_rounded(value, decimals if is_stated else 2)}%"
    sign = "" if found.unit == "amount" else "$"
    power, word = next(((power, f" {name}") for power, name in _SCALES if power >= -decimals > 0), (0, ""))
    return f"{sign}{_rounded(value.scaleb(-power), max(0, decimals + power)):,}{word}"


def _rounded(value: Decimal, decimals: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
