"""How the page puts names in a row, and shares in digits."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def share(value: float) -> str:
    """Two decimals, or as many as it takes to tell 284 of 285 from all of them, and 1 from none."""
    decimals = 2
    while value not in (0, 1) and decimals < 6 and float(f"{value:.{decimals}f}") in (0, 1):
        decimals += 1
    return f"{value:.{decimals}f}"
