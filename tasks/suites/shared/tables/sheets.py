"""Tables as models see them: numbered headings with rows as CSV, or rows as a Markdown table.

Either text can be read back cell by cell, so that rules see exactly what a model sees.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.filings.reader.blocks import Cells

# Cells may have any length; the default limit is 131,072 characters.
csv.field_size_limit(sys.maxsize)

_HEAD = re.compile(r"### Table (\d+): (.*)\Z")
# The second line of a Markdown table; other lines have a space beside each bar.
_RULE = re.compile(r"\|(?:---\|)+")
_MARKDOWN_CELL = re.compile(r" ((?:[^|\\]|\\.)*) \|")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One table: its one-line introduction, and its cells by row and column."""

    index: int
    pre_text: str
    cells: Cells


def write_sheets(sheets: Iterable[Sheet]) -> str:
    """Write tables for `read_sheets`, without empty rows, whitespace normalised."""
    return "\n\n".join(
        f"### Table {sheet.index}: {_one_line(sheet.pre_text)}\n{csv_rows(sheet.cells)}".rstrip(
            "\n"
        )
        for sheet in sheets
    )


def read_sheets(text: str) -> list[Sheet]:
    """Read the tables of a text by `write_sheets`, in order; text before them is ignored."""
    sheets: list[Sheet] = []
    head: re.Match[str] | None = None
    rows: list[str] = []
    for line in [*text.split("\n"), "### Table 0: "]:
        if match := _HEAD.match(line):
            if head is not None:
                sheets.append(Sheet(index=int(head[1]), pre_text=head[2], cells=cells_of(rows)))
            head, rows = match, []
        elif line:
            rows.append(line)
    return sheets


def cells_of(rows: Sequence[str]) -> Cells:
    """Read the lines of a table by `csv_rows` or `markdown_rows`."""
    if len(rows) > 1 and _RULE.fullmatch(rows[1]):
        written = map(_MARKDOWN_CELL.findall, [rows[0], *rows[2:]])
        return tuple(tuple(re.sub(r"\\(.)", r"\1", cell) for cell in row) for row in written)
    return tuple(map(tuple, csv.reader(rows)))


def markdown_rows(cells: Cells) -> str:
    """Write a table as lines of Markdown, the first row as its head."""
    lines = [
        "| " + " | ".join(re.sub(r"([|\\])", r"\\\1", _one_line(cell)) for cell in row) + " |"
        for row in cells
    ]
    if lines:
        lines.insert(1, "|" + "---|" * len(cells[0]))
    return "\n".join(lines)


def csv_rows(cells: Cells) -> str:
    """Write a table as lines of CSV, without empty rows."""
    written = io.StringIO()
    plain = csv.writer(written, lineterminator="\n")
    # so that no cell looks like a table's heading, or like the rule below one
    quoted = csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in filter(None, cells):
        writer = quoted if row[0].lstrip().startswith(("#", "|---|")) else plain
        writer.writerow(map(_one_line, row))
    return written.getvalue().rstrip("\n")


def _one_line(text: str) -> str:
    return " ".join(text.split())
