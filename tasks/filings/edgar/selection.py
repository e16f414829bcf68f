"""Choose filings from index lines: the same lines and the same query give the same filings.

Every filing has a rank, which is a hash of the seed and its accession number. The sample is the
first of that ranking, so a filing added to the index changes at most one place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tasks.core.ids import stable_id
from tasks.filings.edgar.index import IndexLine
from tasks.filings.edgar.query import EdgarQuery, code_range


def candidates(
    lines: Iterable[IndexLine], query: EdgarQuery, ciks: Collection[str] = ()
) -> list[IndexLine]:
    """Return the filings that match the query, each once: ranked if sampled, else by date.

    The index lists a filing of several companies once for each. We keep the line with the smallest
    CIK.

    Args:
        ciks: CIKs of the companies asked for; empty for all.
    """
    found: dict[str, IndexLine] = {}
    for line in lines:
        if line.form in query.forms and (not ciks or line.cik in ciks):
            before = found.get(line.accession)
            if before is None or int(line.cik) < int(before.cik):
                found[line.accession] = line
    if query.sample is None:
        return in_order(found.values())
    return sorted(found.values(), key=lambda line: stable_id("rank", query.seed, line.accession))


def in_order(lines: Iterable[IndexLine]) -> list[IndexLine]:
    """Sort filings by filing date, then accession number."""
    return sorted(lines, key=lambda line: (line.filed, line.accession))


class Seats:
    """Places of a sample that are still free, by sector.

    A filing takes a place in the first sector that covers its SIC code and has one free.

    Args:
        shares: (sector, share) in order; the shares add up to 1.
        n: number of places. Largest remainders get those that rounding leaves over.
    """

    def __init__(self, shares: Sequence[tuple[str, float]], n: int) -> None:
        exact = {sector: share * n for sector, share in shares}
        self.left = {sector: int(seats) for sector, seats in exact.items()}
        by_remainder = sorted(exact, key=lambda sector: (self.left[sector] - exact[sector], sector))
        for sector in by_remainder[: n - sum(self.left.values())]:
            self.left[sector] += 1

    def take(self, sic: str | None) -> bool:
        """Take a place for a filing with this SIC code; return whether there was one."""
        for sector, left in self.left.items():
            first, last = code_range(sector)
            if left and sic is not None and first <= int(sic) <= last:
                self.left[sector] -= 1
                return True
        return False

    @property
    def n_left(self) -> int:
        return sum(self.left.values())
