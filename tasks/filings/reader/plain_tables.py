"""Parse tables whose columns are aligned by spaces, as in filings until about 2001."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from tasks.filings.reader.blocks import BlockGrid
from tasks.filings.reader.cells import (
    FRACTION,
    PlacedCell,
    SourceCell,
    is_data_table,
    place,
    to_grid,
)
from tasks.filings.reader.column_heads import (
    Head,
    Interval,
    above_columns,
    columns_over,
    distance,
    has_year,
    is_year,
    parted,
)
from tasks.filings.reader.labels import join_labels
from tasks.quantities.units import SIGNS

_LEADERS = re.compile(r"\.{2,}|\.?(?: \.){2,}")
_RULE_SIGNS = frozenset("-=_~.*+|")
_RULE_PART = re.compile(r"[-=_]{3,}|-(?: -){2,}")
_CELL = re.compile(r"\S+(?: \S+)*")
# A single space, a note or the next sign may separate the figures of a narrow table.
_FIGURE = (
    rf"[{SIGNS}]? {{0,12}}-0-|(?:[{SIGNS}] {{0,12}})?[(]?[{SIGNS}]?[+-]?"
    rf"(?:\d(?:,?\d)*\.?\d*|\.\(?\d+)(?:{FRACTION})?"
    rf"[)%]*(?:\(\w{{1,2}}\)|\*{{1,3}})*|[{SIGNS}]? {{0,12}}--?|\*{{1,3}}"
)
_FIGURES = re.compile(rf"(?:(?:{_FIGURE})(?: +|(?<=\))|(?=[{SIGNS}])|\Z))+[{SIGNS}]?")
_FIGURE_STARTS = frozenset(f"0123456789{SIGNS}(+-.*")
_FIGURE_OR_SIGN = re.compile(rf"{_FIGURE}|[{SIGNS}]")
_PROSE_GAP = 2  # justified lines have wider gaps between words, tables between cells
_NEW_COLUMN = 4  # characters away from all columns
_MOST_PAIRS = 10_000  # of a row's figures and columns; no table that a person reads has as many


def is_rule(line: str) -> bool:
    """Whether a line without spaces at its end only draws a rule."""
    return line[-1:] in _RULE_SIGNS and _RULE_SIGNS.issuperset("".join(line.split()))


def read_table(lines: Sequence[str]) -> BlockGrid | None:
    """Return the cells of a table's lines, or None if they are not a table of data.

    At least two spaces separate cells. Figures above each other make a column; a heading belongs
    to the columns below it, or to the nearest one.
    """
    rows: list[list[SourceCell]] = []
    drawn: list[str] = []  # the line of each row
    rules: dict[int, str] = {}  # the line that rules off a row
    for line in lines:
        if "|" in line:  # rules between columns
            line = line.replace("|", " ")
        if ".." in line or ". ." in line:
            line = _LEADERS.sub(lambda dots: " " * len(dots[0]), line)
        if "--" in line or "==" in line or "__" in line or "- -" in line:
            rules.setdefault(len(rows) - 1, line)
            line = _RULE_PART.sub(lambda rule: " " * len(rule[0]), line)
        cells: list[SourceCell] = []
        for match in _CELL.finditer(line):
            text, (start, end) = match[0], match.span()
            if (
                text[0] in _FIGURE_STARTS
                and (" " in text or ")" in text[:-1] or "$" in text[1:])
                and _FIGURES.fullmatch(text)
            ):
                cells += [
                    (part.start(), part.end(), " ".join(part[0].split()), 1)
                    for part in _FIGURE_OR_SIGN.finditer(line, start, end)
                ]
            else:
                cells.append((start, end, text, 1))
        if cells:
            rows.append(cells)
            drawn.append(line)
    placed = place(rows)
    if not is_data_table(placed):
        return None
    columns = _figure_columns(placed)
    columns = sorted(columns + _text_columns(placed, columns))
    first = columns[0][0]
    left = [row for row in placed if row[0].end <= first]
    of_figures = [row for row in left if len(row) > 1 and row[1].is_figure]
    deepest = max([first // 2 - 1, *(row[0].start for row in of_figures)])
    width = max((row[0].end for row in left if row[0].start <= deepest), default=0)
    indents = [row[0].start for row in placed]
    snapped = _snapped(placed, columns, deepest, drawn, rules)
    return to_grid(join_labels(snapped, indents, width))


def _snapped(
    rows: Sequence[list[PlacedCell]],
    columns: list[Interval],
    deepest: int,
    lines: Sequence[str],
    rules: Mapping[int, str],
) -> list[list[PlacedCell]]:
    """Move cells from character positions to column numbers: 0 for labels, then figures.

    The cells of data are moved in place. No label starts after `deepest`. `lines` has the rows as
    drawn, and `rules` the lines that rule off rows.
    """
    snapped = []
    rule: list[Interval] = []
    below: list[Head] = []
    for number in reversed(range(len(rows))):
        row = rows[number]
        n_labels = _count_labels(row, columns[0][0], deepest)
        labels = [cell.text for cell in row[:n_labels]]
        rest = row[n_labels:]
        if any(cell.is_figure and not is_year(cell) for cell in rest):
            rule, below = [], []
            _move_to_columns(rest, columns)
        elif rest:
            right_below = []
            if line := rules.get(number):
                parts = [part.span() for part in _RULE_PART.finditer(line)]
                rule = right_below = [part for part in parts if part[0] > deepest]  # not of labels
            rest = parted(rest, lines[number], right_below, columns)
            spans = above_columns(rest, columns, rule, below)
            below = list(zip(rest, spans, strict=True))
            labels += [cell.text for cell, span in below if span is None]
            rest = [
                PlacedCell(span[0] + 1, span[1] + 2, cell.text, cell.is_figure)
                for cell, span in below
                if span is not None
            ]
        if labels:
            rest.insert(0, PlacedCell(0, 1, " ".join(labels), False))
        snapped.append(rest)
    return snapped[::-1]


def _count_labels(row: list[PlacedCell], first: int, deepest: int) -> int:
    """Count the cells of a row that are its label; the first column of figures is at `first`."""
    n_labels = 0
    if row[0].start <= deepest:
        if _is_prose(row):
            n_labels = len(row)
        else:
            is_of_years = len(row) > 1 and is_year(row[0]) and all(map(has_year, row))
            n_labels = int(not row[0].is_figure or (row[0].end <= first and not is_of_years))
    has_figures = row[-1].is_figure or any(cell.is_figure for cell in row[n_labels:])
    while n_labels < len(row) and not row[n_labels].is_figure and row[n_labels].end <= first:
        if not has_figures and (not n_labels or first - row[n_labels].end <= _NEW_COLUMN):
            break  # a heading
        n_labels += 1
    return n_labels


def _move_to_columns(cells: list[PlacedCell], columns: list[Interval]) -> None:
    """Move the cells of a row of data from characters to the numbers of their columns."""
    figures = [cell for cell in cells if cell.is_figure]
    for cell, index in zip(figures, _aligned(figures, columns), strict=True):
        place = _nearest(cell, columns) if index is None else index
        cell.start, cell.end = place + 1, place + 2
    if len(figures) < len(cells):
        for cell in cells:
            if not cell.is_figure:
                over = columns_over(cell, columns) or [_nearest(cell, columns)]
                cell.start, cell.end = over[0] + 1, over[-1] + 2


def _is_prose(row: list[PlacedCell]) -> bool:
    """Whether a line is a sentence, such as a footnote, rather than cells."""
    return not row[-1].is_figure and all(
        after.start - before.end <= _PROSE_GAP for before, after in pairwise(row)
    )


def _figure_columns(rows: list[list[PlacedCell]]) -> list[Interval]:
    """Return character intervals in which figures are above each other, from left to right.

    The row with the most figures begins, and the others add what is beside its columns. Years
    head columns, and make them only if no row has other figures.
    """
    figures = [[cell for cell in row[1:] if cell.is_figure] for row in rows]
    figures = [row for row in figures if not all(map(is_year, row))] or figures
    columns: list[Interval] = []
    for row in sorted(figures, key=len, reverse=True):
        new = []
        for cell, index in zip(row, _aligned(row, columns), strict=True):
            if index is None:
                new.append((cell.start, cell.end))
                continue
            start, end = columns[index]
            if start <= cell.start and cell.end <= end:
                continue
            # the column grows up to those beside it
            left = columns[index - 1][1] if index else 0
            right = columns[index + 1][0] if index + 1 < len(columns) else cell.end
            columns[index] = min(start, max(cell.start, left)), max(end, min(cell.end, right))
        if new:
            columns = sorted(columns + new)
    return columns


def _text_columns(rows: list[list[PlacedCell]], columns: list[Interval]) -> list[Interval]:
    """Return character intervals in which texts are above each other, right of figures."""
    bounds: list[list[int]] = []  # start, end, number of rows
    for row in rows:
        for left, cell in pairwise(row):
            if cell.is_figure or not left.is_figure or cell.start - left.end <= _PROSE_GAP:
                continue
            if cell.start < columns[0][1] or columns_over(cell, columns):
                continue
            for column in bounds:
                if column[0] < cell.end and column[1] > cell.start:
                    column[:] = min(column[0], cell.start), max(column[1], cell.end), column[2] + 1
                    break
            else:
                bounds.append([cell.start, cell.end, 1])
    return [
        (start, end)
        for start, end, n_rows in bounds
        if n_rows > 1 and all(end <= left or start >= right for left, right in columns)
    ]


def _aligned(figures: Sequence[PlacedCell], columns: Sequence[Interval]) -> list[int | None]:
    """Return the column of each figure of a row, or None for one beside all columns.

    No two figures share a column, and their order stays; among such choices the nearest is taken.
    """
    if len(figures) * len(columns) > _MOST_PAIRS:
        return [min(index, len(columns) - 1) for index in range(len(figures))]
    # least cost of the first i figures over the first j columns
    costs = [[0.0] * (len(columns) + 1)]
    for cell in figures:
        above = costs[-1]
        row = [above[0] + _NEW_COLUMN]
        for j, column in enumerate(columns):
            row.append(min(row[j], above[j + 1] + _NEW_COLUMN, above[j] + distance(cell, column)))
        costs.append(row)
    places: list[int | None] = []
    i, j = len(figures), len(columns)
    while i:
        if j and costs[i][j] == costs[i][j - 1]:
            j -= 1
        elif costs[i][j] == costs[i - 1][j] + _NEW_COLUMN:
            places.append(None)
            i -= 1
        else:
            places.append(j - 1)
            i, j = i - 1, j - 1
    return places[::-1]


def _nearest(cell: PlacedCell, columns: Sequence[Interval]) -> int:
    return min(range(len(columns)), key=lambda index: distance(cell, columns[index]))
