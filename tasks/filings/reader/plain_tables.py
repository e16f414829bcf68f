"""Parse tables whose columns are aligned by spaces, as in filings until about 2001."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.filings.reader.blocks import Cells
from tasks.filings.reader.cells import PlacedCell, is_data_table, place, to_grid

_LEADERS = re.compile(r"\.{2,}|\.?(?: \.){2,}")
_RULE = re.compile(r"[-=_~\s.*+|]*")
_RULE_PART = re.compile(r"[-=_]{3,}")
_CELL = re.compile(r"\S+(?: \S+)*")
_WIDE_CELL = re.compile(r"\S+(?: {1,2}\S+)*")
# In a narrow table, a single space may separate numbers
_NUMBERS_ONLY = re.compile(r"(?:[$(]?-?\d[\d,.]*[)%]*|--?)(?: (?:[$(]?-?\d[\d,.]*[)%]*|--?))+")


def is_rule(line: str) -> bool:
    """Whether a line only draws a rule."""
    return bool(_RULE.fullmatch(line)) and bool(line.strip())


def read_table(lines: Sequence[str], gap: int = 2) -> Cells | None:
    """Return the cells of a table's lines, or None if they are not a table of data.

    At least `gap` spaces separate cells. Figures above each other make a column; a heading belongs
    to the columns below it, or to the nearest one.
    """
    pattern = _CELL if gap <= 2 else _WIDE_CELL
    rows = []
    for line in lines:
        line = line.expandtabs(8)
        if ".." in line or ". ." in line:
            line = _LEADERS.sub(lambda dots: " " * len(dots[0]), line)
        if "---" in line or "===" in line or "___" in line:
            line = _RULE_PART.sub(lambda rule: " " * len(rule[0]), line)
        cells = []
        for found in pattern.finditer(line):
            if _NUMBERS_ONLY.fullmatch(found[0]):
                cells += [
                    (found.start() + n.start(), found.start() + n.end(), n[0])
                    for n in re.finditer(r"\S+", found[0])
                ]
            else:
                cells.append((found.start(), found.end(), " ".join(found[0].split())))
        if cells:
            rows.append(cells)
    placed = place(rows)
    if not is_data_table(placed):
        return None
    return to_grid(_snapped(placed))


def _snapped(rows: list[list[PlacedCell]]) -> list[list[PlacedCell]]:
    """Move cells from character positions to column numbers: 0 for labels, then figures."""
    columns = _figure_columns(rows)
    first = columns[0][0]
    snapped = []
    for row in rows:
        moved: list[PlacedCell] = []
        for cell in row:
            over = [
                index
                for index, (start, end) in enumerate(columns)
                if start < cell.end and end > cell.start
            ]
            if cell.is_figure and not over:
                over = [_nearest(cell, columns)]
            if (
                not over
                and cell.end <= first
                and (cell.start < first // 2 or not moved)
                and _distance(cell, columns[0]) > 4
            ):
                span = (0, 1)
            elif not over:
                nearest = _nearest(cell, columns)
                span = (nearest + 1, nearest + 2)
            elif cell.start < first // 2 and not cell.is_figure and not moved:
                span = (0, 1)  # a label that extends under the figures
            elif cell.is_figure:  # figures are set flush right
                span = (over[-1] + 1, over[-1] + 2)
            else:
                span = (over[0] + 1, over[-1] + 2)
            moved.append(PlacedCell(*span, cell.text, cell.is_figure))
        snapped.append(moved)
    return snapped


def _figure_columns(rows: list[list[PlacedCell]]) -> list[tuple[int, int]]:
    """Return disjoint character intervals in which figures are above each other.

    Narrow figures go first. A figure over two intervals joins them, unless a row has a figure in
    each.
    """
    figures = sorted(
        (cell.end - cell.start, cell.start, cell.end, index)
        for index, row in enumerate(rows)
        for cell in row[1:]
        if cell.is_figure
    )
    columns: list[tuple[int, int, set[int]]] = []  # start, end, rows with a figure there
    for _, start, end, row in figures:
        touched = [column for column in columns if column[0] < end and column[1] > start]
        touched.sort(key=lambda column: len(column[2]), reverse=True)
        fullest, *others = (column[2] for column in touched) if touched else (set(),)
        joining: set[int] = set()
        for rows_there in others:
            if not (fullest.isdisjoint(rows_there) and joining.isdisjoint(rows_there)):
                break
            joining |= rows_there
        else:
            for column in touched:
                columns.remove(column)
            fullest |= joining  # in place, since it grows with every figure of a long table
            fullest.add(row)
            left = min([start, *(column[0] for column in touched)])
            right = max([end, *(column[1] for column in touched)])
            columns.append((left, right, fullest))
    return [(start, end) for start, end, _ in sorted(columns, key=lambda column: column[0])]


def _nearest(cell: PlacedCell, columns: list[tuple[int, int]]) -> int:
    return min(range(len(columns)), key=lambda index: _distance(cell, columns[index]))


def _distance(cell: PlacedCell, column: tuple[int, int]) -> int:
    return max(column[0] - cell.end, cell.start - column[1], 0)
