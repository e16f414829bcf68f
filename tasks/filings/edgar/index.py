"""Read EDGAR's full index, and choose filings from its lines.

An index has the layout of `master.idx`: bars between columns, one line per filing, some of them
broken. Every filing has a rank, which is a hash of the seed and its accession number. A sample is
the first of that ranking, so a filing added to the index changes at most one place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice

from tasks.core.ids import stable_id
from tasks.filings.edgar.query import EdgarQuery

# Base URL of every filing, also if we downloaded it from a mirror.
ARCHIVES = "https://www.sec.gov/Archives/"

_PATH = re.compile(r"edgar/data/\d{1,10}/\d{10}-\d{2}-\d{6}\.txt")
_PREAMBLE = 40  # an index has its column titles within this many lines


class NotAnIndex(Exception):
    """A text without an index's column titles; the message quotes its beginning."""


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One filing, as the index names it."""

    cik: str
    company: str
    form: str
    filed: date
    path: str  # of the whole submission, below Archives/

    @property
    def accession(self) -> str:
        return self.path.rsplit("/", 1)[1].removesuffix(".txt")

    @property
    def url(self) -> str:
        return ARCHIVES + self.path


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """An index line that names no filing, and why; numbers start at 1."""

    number: int
    text: str
    why: str


def quarter_before(day: date) -> str:
    """Return the last quarter that ended before a day's own quarter, such as 2026Q3."""
    quarter = (day.month - 1) // 3
    return f"{day.year}Q{quarter}" if quarter else f"{day.year - 1}Q4"


def read_index(text: str) -> Iterator[IndexLine | BrokenLine]:
    """Yield every line below the column titles.

    Raises:
        NotAnIndex: there are no column titles.
    """
    lines = enumerate(text.split("\n"), start=1)
    if not any(line.startswith("CIK|") for _, line in islice(lines, _PREAMBLE)):
        begins = " ".join(text[:200].split())[:80]
        raise NotAnIndex(f"begins with {begins!r}, and has no titles like those of master.idx")
    for number, line in lines:
        if not line.strip(" -\t"):  # empty, or the rule below the titles
            continue
        try:
            yield _index_line(line)
        except ValueError as broken:
            yield BrokenLine(number, line[:300], str(broken))


def _index_line(line: str) -> IndexLine:
    cells = line.split("|")
    if len(cells) < 5:
        raise ValueError(f"{len(cells)} columns in place of 5")
    company = "|".join(cells[1:-3]).strip()
    cik, form, filed, path = (cell.strip() for cell in (cells[0], *cells[-3:]))
    if not (cik.isascii() and cik.isdigit() and len(cik) <= 10):
        raise ValueError(f"the company's number is {cik!r}")
    if not form:
        raise ValueError("no form type")
    if _PATH.fullmatch(path) is None:
        raise ValueError(f"the file name is {path!r}")
    try:
        day = date.fromisoformat(filed)
    except ValueError:
        raise ValueError(f"the date is {filed!r}") from None
    return IndexLine(cik.lstrip("0") or "0", company, form.upper(), day, path)


def candidates(
    lines: Iterable[IndexLine], query: EdgarQuery, ciks: Collection[str] = ()
) -> list[IndexLine]:
    """Return the filings that match the query, each once: ranked if sampled, else by date.

    The index lists a filing of several companies once for each. We keep the line with the smallest
    CIK.

    Args:
        ciks: CIKs of the companies asked for; empty for all.
    """
    by_accession: dict[str, IndexLine] = {}
    for line in lines:
        if line.form in query.forms and (not ciks or line.cik in ciks):
            before = by_accession.get(line.accession)
            if before is None or int(line.cik) < int(before.cik):
                by_accession[line.accession] = line
    if query.sample is None:
        return in_order(by_accession.values())
    return sorted(
        by_accession.values(), key=lambda line: stable_id("rank", query.seed, line.accession)
    )


def in_order(lines: Iterable[IndexLine]) -> list[IndexLine]:
    """Sort filings by filing date, then accession number."""
    return sorted(lines, key=lambda line: (line.filed, line.accession))
