"""Turn a table's placed cells into a grid of values, and tell data tables from layout.

Filers give a dollar sign, a number and a closing bracket a column each, with spacer columns
between; a reader sees one value. We join the parts and keep the columns that a reader would count.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tasks.filings.reader.blocks import BlockGrid, Spans
from tasks.quantities.units import CURRENCY, MEASURE, SIGNS

# Prices of shares until 2001: 53 1/2, 14-13/16
FRACTION = r"(?: {1,2}|-)\d{1,2}/(?:2|4|8|16|32|64)| ?[½¼¾⅛⅜⅝⅞]"
_OPENER = re.compile(rf"\(?{CURRENCY}\s*\(?|\(")
_CLOSER = re.compile(
    rf"(?:\)|{MEASURE})\s*[%)]?\s*(?:\((?:\d{{1,2}}|[a-z])\)|[*†‡]{{1,3}})?|[*†‡]{{1,3}}"
)
_NOTE = re.compile(r"\((?:\d{1,2}|[a-z])\)")
_FIGURE = re.compile(
    rf"(?:{CURRENCY}|[~<>≈(+\-−–\s])*(?:\d[\d,]*\.?\d*|\.\(?\d+)(?:{FRACTION})?"
    rf"(?:(?!\$){CURRENCY}|{MEASURE}|years?|[)\s])*(?:\(\w{{1,2}}(?:,\s?\w{{1,2}})*\)|[*†‡]{{1,3}}){{0,3}}"
    r"|\d{1,2}/(?:2|4|8|16|32|64)"
    rf"|\(?[{SIGNS}]\s*\(?\d[\d,]*\.?\d*\s?[KMBTkmbt]\)?"  # a letter alone may end a code: 10K
)
_PLACEHOLDER = re.compile(
    rf"[{SIGNS}(]?\s*(?:[-–—−‑*]{{1,4}}|--+|-0-|[Nn]/?[AaMm]\.?|[Nn]il|NM|nm|[Nn]one)\s*[)%]*|\.{{2,}}"
)
_ENUMERATOR = re.compile(
    r"[•·●○■□▪◦‣⁃–—*o§>ü¨-]|\(?(?:[A-Za-z]|[ivxlIVXL]{2,5}|\d{1,3})[.)]|\([A-Za-z0-9]{1,4}\)"
    r"|\[[ xX]?\]|[☐☒☑þ¨]"
)
YEAR = re.compile(r"(?:19|20)\d\d(?:\(\w\))?")
_SPACED_SIGN = re.compile(rf"([{SIGNS}(])\s+(?=[\d(.])")
_ITEM_OR_PART = re.compile(r"item\s*\d|part\s+[iv]+\b", re.IGNORECASE)
_PAGE_HEADING = re.compile(r"(?:form 10-k )?page(?:s|\(s\)|\s+(?:no|number)s?\.?)?", re.IGNORECASE)


SourceCell = tuple[int, int, str, int]  # start, end, text, rowspan


@dataclass(slots=True)
class PlacedCell:
    """One non-empty cell of a row, over grid columns start <= c < end.

    The columns of a figure's signs do not count.
    """

    start: int
    end: int
    text: str
    is_figure: bool
    rowspan: int = 1


TEXT, FIGURE, NOTE, CLOSER, OPENER = range(5)  # the first two stand alone


@lru_cache(maxsize=1 << 16)  # a filing's cells repeat few texts
def kind_of(text: str) -> int:
    """Return the kind of a cell's text: a figure, a part of one beside it, or words."""
    if len(text) > 32:
        return TEXT
    if _NOTE.fullmatch(text):
        return NOTE
    if _FIGURE.fullmatch(text) or _PLACEHOLDER.fullmatch(text):
        return FIGURE
    if _CLOSER.fullmatch(text):
        return CLOSER
    if len(text) <= 5 and _OPENER.fullmatch(text):
        return OPENER
    return TEXT


def is_figure(text: str) -> bool:
    """Whether a cell holds one figure or a dash for one; "(5)" may be a note or a negative."""
    kind = kind_of(text)
    return kind == FIGURE or (kind == NOTE and text[1].isdigit())


def is_enumerator(text: str) -> bool:
    """Whether a text is only a bullet, a list number or a check box."""
    return len(text) <= 8 and bool(_ENUMERATOR.fullmatch(text))


def place(rows: Sequence[Sequence[SourceCell]]) -> list[list[PlacedCell]]:
    """Join currency signs and closing brackets to their numbers."""
    figure_columns = {
        column
        for row in rows
        for start, end, text, _ in row
        if kind_of(text) == FIGURE
        for column in range(start, end)
    }
    negative_columns: set[int] = set()
    for sign, cell in itertools.chain.from_iterable(map(itertools.pairwise, rows)):
        # $ (12) is a negative, if the column of the sign has no figures
        if kind_of(sign[2]) == OPENER and figure_columns.isdisjoint(range(*sign[:2])):
            negative_columns.update(range(*cell[:2]) if is_figure(cell[2]) else ())
    return [_merge_signs(row, figure_columns | negative_columns) for row in rows]


def _merge_signs(row: Sequence[SourceCell], figure_columns: set[int]) -> list[PlacedCell]:
    merged: list[PlacedCell] = []
    opener: SourceCell | None = None
    for start, end, text, rowspan in row:
        kind = kind_of(text)
        if kind == FIGURE and " " in text:
            text = _SPACED_SIGN.sub(r"\1", text)
        if opener is None and kind <= FIGURE:
            merged.append(PlacedCell(start, end, text, kind == FIGURE, rowspan))
        elif opener is not None:
            if kind in (FIGURE, NOTE):
                space = " " if opener[2][-1].isalpha() else ""
                merged.append(PlacedCell(start, end, opener[2] + space + text, True, rowspan))
            else:  # a text between cells may be left of the sign
                span = min(opener[0], start), max(opener[1], end)
                merged.append(PlacedCell(*span, f"{opener[2]} {text}", False))
            opener = None
        elif kind == OPENER and start > 0:
            opener = (start, end, text, rowspan)
        elif (
            kind == CLOSER
            and merged
            and merged[-1].is_figure
            and not (text[0].isalpha() and YEAR.fullmatch(merged[-1].text))  # two heads
        ):
            merged[-1].text += f" {text}" if text[1:2].isalpha() else text
        # (12) beside a number is a note if its column has no figures, else a negative
        elif (
            kind == NOTE
            and merged
            and figure_columns.isdisjoint(range(start, end))
            and (merged[-1].is_figure or (len(merged) == 1 and kind_of(merged[0].text) == TEXT))
        ):
            merged[-1].text += text if merged[-1].is_figure else f" {text}"
        else:
            merged.append(PlacedCell(start, end, text, is_figure(text), rowspan))
    if opener is not None:
        merged.append(PlacedCell(*opener[:3], False))
    return merged


def is_data_table(rows: Sequence[Sequence[PlacedCell]]) -> bool:
    """Whether non-empty rows are a table of data rather than a text layout.

    Data has figures to the right of labels in at least two rows, and no paragraphs in its cells.
    """
    if len(rows) < 2:
        return False
    n_cells = sum(map(len, rows))
    with_figure = [
        number
        for number, row in enumerate(rows)
        for cell in row[1:]
        if cell.is_figure and not is_enumerator(cell.text)
    ]
    if len(set(with_figure)) < 2 or len(with_figure) < 0.12 * n_cells:
        return False
    n_long = sum(len(cell.text) > 200 for row in rows for cell in row)
    return n_long <= 0.15 * n_cells and not _is_contents(rows)


def _is_contents(rows: Sequence[Sequence[PlacedCell]]) -> bool:
    """Whether rows are a table of contents: texts with ascending page numbers."""
    pages = []
    n_texts = 0
    for row in rows:
        figures = [cell for cell in row if cell.is_figure]
        if len(figures) > 1 and not (len(figures) == 2 and figures[0] is row[0]):
            return False
        last = row[-1].text
        if re.fullmatch(r"(?:[A-Z]-?)?\d{1,3}", last) and len(row) > 1:
            pages.append(int(re.sub(r"\D", "", last)))
        n_texts += any(not cell.is_figure for cell in row)
    if len(pages) < 3 or n_texts < 0.9 * len(rows):
        return False
    ascending = sum(a <= b for a, b in itertools.pairwise(pages))
    if any(_PAGE_HEADING.fullmatch(row[-1].text) for row in rows[:3]):
        return True
    n_items = sum(bool(_ITEM_OR_PART.match(cell.text)) for row in rows for cell in row)
    has_long_labels = sum(len(row[0].text) for row in rows) > 25 * len(rows)
    return ascending >= 0.9 * (len(pages) - 1) and (
        n_items >= 3 or (len(pages) >= 0.5 * len(rows) and has_long_labels)
    )


# Places of a grid for each cell that has a text; tables of real filings have at most three.
_MOST_PLACES = 50


def to_grid(rows: Sequence[Sequence[PlacedCell]]) -> BlockGrid | None:
    """Return placed cells as a rectangular grid of strings, and which of them span others.

    None if the grid would have over 50 times as many places: it could take any time and memory.

    A heading over several columns is repeated in each. A text that starts in the first column
    stays there, however many it spans. A cell over several rows is in the first one only.
    """
    columns = _columns(rows)
    if len(rows) * len(columns) > _MOST_PLACES * sum(map(len, rows)):
        return None
    starts, ends = [start for start, _ in columns], [end for _, end in columns]
    at = {column: index for index, column in enumerate(columns)}
    grid = []
    spans: Spans = {}
    for number, row in enumerate(rows):
        values = [""] * len(columns)
        wide = []
        for cell in row:
            column = at.get((cell.start, cell.end))
            places = _places(cell, starts, ends) if column is None else (column,)
            for index in places:
                values[index] = f"{values[index]} {cell.text}" if values[index] else cell.text
            if len(places) > 1 or cell.rowspan > 1:
                wide.append((cell, places))
        for cell, places in wide:
            own = [index for index in places if values[index] == cell.text]
            if len(own) > 1 or (own and cell.rowspan > 1):  # else it shares its columns
                spans[number, own[0]] = (cell.rowspan, len(own))
        grid.append(tuple(values))
    return BlockGrid(tuple(grid), spans)


def _columns(rows: Sequence[Sequence[PlacedCell]]) -> list[tuple[int, int]]:
    """Return the columns that a reader counts, made by narrow figures, then narrow texts.

    Wider cells only span them.
    """
    spans = sorted(
        {(not cell.is_figure, cell.end - cell.start, cell.start) for row in rows for cell in row}
    )
    taken: set[int] = set()
    columns = []
    for _, width, start in spans:
        covered = range(start, start + width)
        if taken.isdisjoint(covered):
            taken.update(covered)
            columns.append((start, start + width))
    return sorted(columns)


def _places(cell: PlacedCell, starts: Sequence[int], ends: Sequence[int]) -> Sequence[int]:
    """Return the columns that a cell is in; `starts` and `ends` are those of all columns."""
    first = bisect_right(ends, cell.start)
    if first == 0 or len(cell.text) > 80:
        return range(first, first + 1)
    return range(first, bisect_left(starts, cell.end))
