"""Shares in digits."""

from __future__ import annotations


def share(value: float) -> str:
    """Two decimals, or as many as it takes to tell 284 of 285 from all of them, and 1 from none; six at most."""
    decimals = 2
    while value not in (0, 1) and decimals < 6 and float(f"{value:.{decimals}f}") in (0, 1):
        decimals += 1
    return f"{value:.{decimals}f}"
