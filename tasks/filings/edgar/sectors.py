"""Sectors of filings, by the industry code (SIC) in their headers, and the seats that a mix gives them in a sample.

The named sectors are those by which metrics are sliced (`sql/macros/sector.sql`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# First and last code of each.
SECTORS: dict[str, tuple[int, int]] = {
    "agriculture": (0, 999),
    "mining": (1000, 1499),
    "construction": (1500, 1799),
    "manufacturing": (2000, 3999),
    "transportation and utilities": (4000, 4999),
    "wholesale": (5000, 5199),
    "retail": (5200, 5999),
    "finance": (6000, 6799),
    "services": (7000, 8999),
    "public administration and other": (9000, 9999),
}

_RANGE = re.compile(r"(\d{4})(?:-(\d{4}))?")


def code_range(sector: str) -> tuple[int, int]:
    """The first and the last SIC code of a sector, or of a range such as 6020-6039.

    Raises:
        ValueError: there is no such sector.
    """
    if sector in SECTORS:
        return SECTORS[sector]
    found = _RANGE.fullmatch(sector)
    if found is None:
        raise ValueError(f"sectors are {', '.join(SECTORS)}, and ranges of SIC codes such as 6020-6039")
    return int(found[1]), int(found[2] or found[1])


class Seats:
    """The seats of a sample that each sector of a mix has, and has left.

    A filing takes a seat of the first sector, in the mix's order, that its code lies in and that has one left.

    Args:
        mix: (sector, share), shares that come to 1.
        n: how many seats there are; what shares leave over goes to the largest remainders.
    """

    def __init__(self, mix: Sequence[tuple[str, float]], n: int) -> None:
        exact = {sector: share * n for sector, share in mix}
        self.left = {sector: int(seats) for sector, seats in exact.items()}
        by_remainder = sorted(exact, key=lambda sector: (self.left[sector] - exact[sector], sector))
        for sector in by_remainder[: n - sum(self.left.values())]:
            self.left[sector] += 1

    def take(self, sic: str | None) -> bool:
        """Whether there is a seat for a filing of this industry; it is taken then."""
        for sector, left in self.left.items():
            first, last = code_range(sector)
            if left and sic is not None and first <= int(sic) <= last:
                self.left[sector] -= 1
                return True
        return False

    @property
    def n_left(self) -> int:
        return sum(self.left.values())
