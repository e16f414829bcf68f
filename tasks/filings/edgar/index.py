"""EDGAR's full index: one line per filing, of which some are broken.

Both of its layouts are read: `master.idx`, with bars between the columns, and `form.idx`, with columns of fixed
width. Daily indexes are laid out alike, but for their dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice

# Where filings are, whoever they were downloaded from.
ARCHIVES = "https://www.sec.gov/Archives/"

_PATH = re.compile(r"edgar/data/\d{1,10}/\d{10}-\d{2}-\d{6}\.txt")
_RIGHT = re.compile(r"(.*?)\s+(\d{1,10})\s+(\d[\d-]+)\s+(\S+)")
_PREAMBLE = 40  # lines before which an index has its columns' titles


class NotAnIndex(Exception):
    """What was read has no line with an index's titles; the message says how it begins."""


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One filing, as the index names it."""

    cik: str
    company: str
    form: str
    filed: date
    path: str  # of the whole submission below Archives/

    @property
    def accession(self) -> str:
        return self.path.rsplit("/", 1)[1].removesuffix(".txt")

    @property
    def url(self) -> str:
        return ARCHIVES + self.path


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line that does not name a filing, and why; lines count from 1."""

    number: int
    text: str
    why: str


def quarter_before(day: date) -> str:
    """The last quarter that was over on a day: 2026Q3 on any day of 2026's fourth quarter."""
    quarter = (day.month - 1) // 3
    return f"{day.year}Q{quarter}" if quarter else f"{day.year - 1}Q4"


def read_index(text: str) -> Iterator[IndexLine | BrokenLine]:
    """Every line below the titles.

    Raises:
        NotAnIndex: there are no titles.
    """
    lines = enumerate(text.split("\n"), start=1)
    name_column = _name_column(lines)
    if name_column is None:
        raise NotAnIndex(f"begins with {' '.join(text[:200].split())[:80]!r}")
    for number, line in lines:
        if not line.strip(" -\t"):  # blank, or the rule below the titles
            continue
        try:
            yield _index_line(_split_columns(line, name_column) if name_column else _split_bars(line))
        except ValueError as broken:
            yield BrokenLine(number, line[:300], str(broken))


def _name_column(lines: Iterator[tuple[int, str]]) -> int | None:
    """Reads on to the titles: where companies' names begin, 0 where bars are between the columns; None without titles."""
    for _, line in islice(lines, _PREAMBLE):
        if line.startswith("CIK|"):
            return 0
        if line.startswith("Form Type") and "Company Name" in line:
            return line.index("Company Name")
    return None


def _split_bars(line: str) -> tuple[str, ...]:
    cells = line.split("|")
    if len(cells) < 5:
        raise ValueError(f"{len(cells)} columns in place of 5")
    return cells[0], "|".join(cells[1:-3]), *cells[-3:]


def _split_columns(line: str, start: int) -> tuple[str, ...]:
    """Names may reach into the next column, so that all but the form is told from the right."""
    found = _RIGHT.fullmatch(line[start:].rstrip())
    if found is None:
        raise ValueError("no number, date and file name at its end")
    company, cik, filed, path = found.groups()
    return cik, company, line[:start], filed, path


def _index_line(cells: tuple[str, ...]) -> IndexLine:
    cik, company, form, filed, path = (cell.strip() for cell in cells)
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
