"""Format shares, ratings, differences of them, and p-values."""

from __future__ import annotations

# From here on a figure is a rating, of which decimals say nothing.
_WHOLE = 100


def share(value: float, decimals: int = 2) -> str:
    """Format a share with `decimals`, or up to six if it would otherwise read as 0 or 1.

    A rating such as 1164.35 has no decimals.
    """
    if abs(value) >= _WHOLE:
        return f"{value:,.0f}"
    while value not in (0, 1) and decimals < 6 and float(f"{value:.{decimals}f}") in (0, 1):
        decimals += 1
    return f"{value:.{decimals}f}"


def interval(low: float | None, high: float | None) -> str:
    """Format an interval as people round it; its ends may read as 0 or 1.

    An open interval has one end; the other is None.
    """
    first, last = (
        None if end is None else f"{end:,.0f}" if abs(end) >= _WHOLE else f"{end:.2f}"
        for end in (low, high)
    )
    if first is None:
        return f"at most {last}"
    return f"at least {first}" if last is None else f"{first} to {last}"


def signed_share(value: float, minus: str = "-") -> str:
    """Format a difference of two shares with its sign; only 0 reads as 0, and only 1 as 1.

    A difference below a billionth is a rounding error of two equal shares, so it is 0.
    """
    value = round(value, 9)
    sign = minus if value < 0 else "+" if value > 0 else ""
    return f"{sign}{share(abs(value))}"


def probability(p: float) -> str:
    """Format a p-value with the three decimals that tell it from 0.05."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
