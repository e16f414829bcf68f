"""Write a table's cells as canonical HTML, and read that back.

Canonical: th in the rows of column headings, td elsewhere, rowspan and colspan, nothing else.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from tasks.filings.reader.blocks import BlockGrid, Cells, Spans
from tasks.filings.reader.cells import NOTE, YEAR, is_figure, kind_of

_CELL = re.compile(
    r'<(?P<name>t[hd])(?: rowspan="(?P<rows>\d+)")?(?: colspan="(?P<columns>\d+)")?>'
    r"(?P<text>[^<]*)</t[hd]>"
)


def spread_down(grid: BlockGrid) -> BlockGrid:
    """Return a grid with each tall cell's text in the empty places that it covers below."""
    if all(rowspan == 1 for rowspan, _ in grid.spans.values()):
        return grid
    rows = [list(row) for row in grid.cells]
    spans: Spans = {}
    for (top, left), (rowspan, colspan) in sorted(grid.spans.items()):
        text = rows[top][left]
        bottom = top + 1
        right = left + colspan
        while bottom < min(top + rowspan, len(rows)) and not any(rows[bottom][left:right]):
            rows[bottom][left:right] = [text] * colspan
            bottom += 1
        if bottom - top > 1 or colspan > 1:
            spans[top, left] = (bottom - top, colspan)
    return BlockGrid(tuple(map(tuple, rows)), spans)


def table_html(cells: Cells, spans: Spans) -> str:
    """Return a table as canonical HTML; `expand` gives its cells back."""
    covered = {
        (top + down, left + right)
        for (top, left), (rowspan, colspan) in spans.items()
        for down in range(rowspan)
        for right in range(colspan)
    }
    spanned_rows = {row for row, _ in covered}
    covered.difference_update(spans)
    n_heads = count_heads(cells)
    rows = []
    for r, row in enumerate(cells):
        name = "th" if r < n_heads else "td"
        texts = [html.escape(text, quote=False) for text in row]
        if r not in spanned_rows:
            inside = f"</{name}><{name}>".join(texts)
            rows.append(f"<tr><{name}>{inside}</{name}></tr>")
            continue
        written = []
        for c, text in enumerate(texts):
            if (r, c) in covered:
                continue
            rowspan, colspan = spans.get((r, c), (1, 1))
            attributes = f' rowspan="{rowspan}"' if rowspan > 1 else ""
            attributes += f' colspan="{colspan}"' if colspan > 1 else ""
            written.append(f"<{name}{attributes}>{text}</{name}>")
        rows.append(f"<tr>{''.join(written)}</tr>")
    return f"<table>{''.join(rows)}</table>"


class HtmlCell(NamedTuple):
    """A cell of canonical HTML, and the places that it spans in the table's grid."""

    text: str
    is_head: bool
    rows: range
    columns: range


def html_rows(source: str) -> Iterator[list[HtmlCell]]:
    """Yield the rows of canonical HTML; a cell is in the row in which it begins."""
    taken: set[tuple[int, int]] = set()
    for r, row in enumerate(source.split("<tr>")[1:]):
        cells = []
        c = 0
        for cell in _CELL.finditer(row):
            while (r, c) in taken:
                c += 1
            rows = range(r, r + int(cell["rows"] or 1))
            columns = range(c, c + int(cell["columns"] or 1))
            if len(rows) > 1:
                taken.update((down, right) for down in rows for right in columns)
            c = columns.stop
            cells.append(HtmlCell(html.unescape(cell["text"]), cell["name"] == "th", rows, columns))
        yield cells


def expand(source: str) -> Cells:
    """Return the cells of canonical HTML, each in all places that it spans."""
    rows = list(html_rows(source))
    places = {
        (r, c): cell.text for row in rows for cell in row for r in cell.rows for c in cell.columns
    }
    width = max((c for _, c in places), default=-1) + 1
    return tuple(tuple(places[r, c] for c in range(width)) for r in range(len(rows)))


def count_heads(cells: Cells) -> int:
    """Count the rows above the first row of data, up to the last one that heads a column."""
    n_heads = 0
    for r, row in enumerate(cells):
        figures = [text for text in row[1:] if is_figure(text) and not YEAR.fullmatch(text)]
        if any(row[0] or kind_of(text) != NOTE for text in figures):
            break  # figures besides years, and more than the numbers of columns without a label
        if any(row[1:]):
            n_heads = r + 1
    return n_heads
