"""Which tables of filings can be asked about, by their cells alone, and why others cannot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from tasks.filings.reader.cells import YEAR, is_figure
from tasks.suites.shared.tables.cells import read_grid
from tasks.suites.shared.tables.sheets import Sheet

FEW_NUMBERS = "the table has fewer than two rows and two columns of numbers"
UNNAMED = "the table has fewer than two named rows and columns of numbers"
MOSTLY_WORDS = "the table has more words than numbers, as a list of exhibits"
PAGES = "the table lists pages"
TOO_WIDE = "the table has more than 60 columns"

_MOST_COLUMNS = 60
_PAGE_HEAD = re.compile(r"pages?(?:\(s\))?(?:\s+(?:no\.?|numbers?|in\b.*))?", re.IGNORECASE)


def reason_against(cells: Sequence[Sequence[str]]) -> str | None:
    """Return why a table cannot be asked about, by its cells alone, or None."""
    width = max(map(len, cells), default=0)
    if width > _MOST_COLUMNS:
        return TOO_WIDE
    grid = read_grid(Sheet(index=1, pre_text="", cells=tuple(map(tuple, cells))))
    numbers = [place for place, cell in grid.cells.items() if not YEAR.fullmatch(cell.text)]
    if not _spans_two(numbers):
        return FEW_NUMBERS
    beside = [cell for row in {row for row, _ in numbers} for cell in cells[row][1:] if cell]
    if 2 * sum(map(is_figure, beside)) < len(beside):
        return MOSTLY_WORDS
    if any(_PAGE_HEAD.fullmatch(column.text) for column in grid.columns):
        return PAGES
    row_names = [line.text or line.above for line in grid.rows]
    column_names = [line.text for line in grid.columns]
    named = [
        (row, column)
        for row, column in numbers
        if _is_name(row_names[row]) and _is_name(column_names[column])
    ]
    return None if _spans_two(named) else UNNAMED


def _spans_two(places: Iterable[tuple[int, int]]) -> bool:
    """Check whether two rows and two columns have two of these places or more."""
    held = list(places)
    return all(
        sum(n > 1 for n in Counter(place[axis] for place in held).values()) > 1 for axis in (0, 1)
    )


def _is_name(text: str) -> bool:
    return any(map(str.isalnum, text)) and (not is_figure(text) or bool(YEAR.fullmatch(text)))
