"""Which filings of an index a run takes. Pure: the same lines and the same question give the same filings.

A sample is not drawn with dice: every filing has a rank, which comes from the seed and its accession number, and the
sample is the first of them. So a filing that comes into the index later changes at most one place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tasks.core.ids import stable_id
from tasks.filings.edgar.index import IndexLine
from tasks.filings.edgar.query import Asked


def candidates(lines: Iterable[IndexLine], asked: Asked, ciks: Collection[str] = ()) -> list[IndexLine]:
    """The filings that are asked for, whatever the size of the sample: each once, in the order in which it takes them.

    Without a sample they are in the order in which they were filed. A filing by several companies stands in the index
    once for each; it is taken as that of the one with the smallest number.

    Args:
        ciks: of the companies that are asked for; none for all.
    """
    found: dict[str, IndexLine] = {}
    for line in lines:
        if line.form in asked.forms and (not ciks or line.cik in ciks):
            before = found.get(line.accession)
            if before is None or int(line.cik) < int(before.cik):
                found[line.accession] = line
    if asked.sample is None:
        return in_order(found.values())
    return sorted(found.values(), key=lambda line: stable_id("rank", asked.seed, line.accession))


def in_order(lines: Iterable[IndexLine]) -> list[IndexLine]:
    """Filings in the order in which they were filed."""
    return sorted(lines, key=lambda line: (line.filed, line.accession))
