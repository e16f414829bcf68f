"""Shares in digits."""

from __future__ import annotations


def share(value: float, decimals: int = 2) -> str:
    """So many decimals, or as many as it takes to tell 284 of 285 from all of them, and 1 from none; six at most."""
    while value not in (0, 1) and decimals < 6 and float(f"{value:.{decimals}f}") in (0, 1):
        decimals += 1
    return f"{value:.{decimals}f}"
