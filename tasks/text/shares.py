"""Shares, and changes of shares, in digits."""

from __future__ import annotations


def share(value: float, decimals: int = 2) -> str:
    """So many decimals, or as many as it takes to tell 284 of 285 from all of them, and 1 from none; six at most."""
    while value not in (0, 1) and decimals < 6 and float(f"{value:.{decimals}f}") in (0, 1):
        decimals += 1
    return f"{value:.{decimals}f}"


def signed_share(value: float, minus: str = "-") -> str:
    """A difference of two shares with its sign: what is not 0 is never said as 0, nor what is below 1 as 1.

    What subtraction leaves of two equal shares, below a billionth, is 0.
    """
    value = round(value, 9)
    sign = minus if value < 0 else "+" if value > 0 else ""
    return f"{sign}{share(abs(value))}"
