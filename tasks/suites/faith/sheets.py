"""Tables as a model is shown them: a line that numbers and introduces each, then its rows as CSV.

What is written can be read again cell by cell, so that rules work on nothing but what a model sees.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

# A cell may be of any length; the reader would refuse one of more than 131,072 characters.
csv.field_size_limit(sys.maxsize)

_HEAD = re.compile(r"### Table (\d+): (.*)\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One table: the words that introduce it, in one line, and its cells by row and column."""

    index: int
    pre_text: str
    cells: tuple[tuple[str, ...], ...]


def write_sheets(sheets: Iterable[Sheet]) -> str:
    """The tables as text, with a blank line between them; `read_sheets` reads them again.

    Blanks and line breaks in a run become one blank; a row without a single cell is left out.
    """
    return "\n\n".join(_written(sheet) for sheet in sheets)


def read_sheets(text: str) -> list[Sheet]:
    """The tables of a text that `write_sheets` wrote, in order; what stands before the first is no table."""
    sheets: list[Sheet] = []
    head: re.Match[str] | None = None
    rows: list[str] = []
    for line in [*text.split("\n"), "### Table 0: "]:
        if found := _HEAD.match(line):
            if head is not None:
                cells = tuple(tuple(row) for row in csv.reader(rows))
                sheets.append(Sheet(index=int(head[1]), pre_text=head[2], cells=cells))
            head, rows = found, []
        elif line:
            rows.append(line)
    return sheets


def _written(sheet: Sheet) -> str:
    written = io.StringIO()
    plain = csv.writer(written, lineterminator="\n")
    quoted = csv.writer(
        written, lineterminator="\n", quoting=csv.QUOTE_ALL
    )  # no cell can pose as a table's head
    for row in sheet.cells:
        if row:
            (quoted if row[0].lstrip().startswith("#") else plain).writerow([_one_line(cell) for cell in row])
    return f"### Table {sheet.index}: {_one_line(sheet.pre_text)}\n{written.getvalue()}".rstrip("\n")


def _one_line(text: str) -> str:
    return " ".join(text.split())
