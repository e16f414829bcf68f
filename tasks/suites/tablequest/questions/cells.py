"""The cells that a writer names, and the words of a question that name them.

A cell is named by its table, row label, column heading and text. The row's label must be the
table's, with or without the label that opens its section. The heading's words must all be in the
column's. The text must be the cell's, apart from currency signs, spaces, percent signs and
separators of thousands; a sign or bracket counts. Exactly one cell must fit. If several do, the
name is ambiguous, even if they say the same.

A question names a cell if no other cell of the table fits its words: another cell fits if all that
the question says of row label, section and column is true of it, too, unless these are named more
fully than those of the other cell.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from tasks.filings.reader.blocks import Cells
from tasks.suites.shared.figure_match import DOWN, UP
from tasks.suites.shared.tables.cells import Cell, Grid, TableLine, read_grid, years_in
from tasks.suites.shared.tables.operand import Operand
from tasks.suites.shared.tables.sheets import Sheet
from tasks.suites.tablequest.snippets import sheets_of
from tasks.text.metric_words import term_set
from tasks.text.terms import STOP_WORDS

NO_TABLE = "the snippet has no such table"
NO_ROW = "the table has no such row"
NO_COLUMN = "the row's table has no such column"
NO_VALUE = "no cell of this row and column has this text"
AMBIGUOUS = "several cells fit the name"

_SEPARATOR = re.compile(r"(?<=\d),(?=\d{3})")
NOTE = re.compile(
    r"\s*(?:\((?:notes? )?\d{1,2}(?:(?:,| and) ?\d{1,2})*\)|\([a-z]\)|\*+|[†‡]+)\s*\Z",
    re.IGNORECASE,
)
_MINUS = str.maketrans("−–—‐‑‒", "------")
# Terms that many rows have, so that they name none of them if it has others.
_WEAK = term_set("net total other number average basic diluted")
_NEGATIONS = frozenset({"not", "non", "without"})
_MONTHS = {name.casefold(): name[:3].casefold() for name in calendar.month_name} | {"sept": "sep"}
# A question on a change in one year is on the year before it, too.
_CHANGE = re.compile(r"\b(?:chang\w*|prior|previous|year[- ]over[- ]year)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NamedCell:
    """One cell as a writer names it; `table` counts from 1."""

    name: str
    table: int
    row: str
    column: str
    value: str


@dataclass(frozen=True, slots=True)
class FoundCell:
    """One cell of a snippet's tables; `cell` is its number, None if it is text."""

    operand: Operand
    grid: Grid
    cell: Cell | None

    @property
    def place(self) -> tuple[int, int, int]:
        """Its table, row and column."""
        return self.operand.table_index, self.operand.row, self.operand.column


class CellNotFound(ValueError):
    """A name that fits no cell, or several; the message is one of this module's constants."""


class SnippetTables:
    """The tables of a snippet, read cell by cell."""

    def __init__(self, text: str) -> None:
        self.text = text
        sheets = sheets_of(text)
        self.sheets: Mapping[int, Sheet] = {sheet.index: sheet for sheet in sheets}
        self.grids = {sheet.index: read_grid(sheet) for sheet in sheets}

    @property
    def cells(self) -> list[Cell]:
        """All numbers of all tables."""
        return [cell for grid in self.grids.values() for cell in grid.cells.values()]

    def find(self, named: NamedCell) -> FoundCell:
        """Find the one cell that a name fits.

        Raises:
            CellNotFound: none fits, or more than one.
        """
        if named.table not in self.sheets:
            raise CellNotFound(NO_TABLE)
        sheet, grid = self.sheets[named.table], self.grids[named.table]
        rows = [r for r, line in enumerate(grid.rows) if _is_row(named.row, line)]
        if not rows:
            raise CellNotFound(NO_ROW)
        columns = _columns(named.column, grid)
        if not columns:
            raise CellNotFound(NO_COLUMN)
        places = list(_places(cell_text(named.value), rows, columns, sheet))
        places = [at for at in places if not _is_spanned(at, places, sheet, grid)]
        if len(places) != 1:
            raise CellNotFound(AMBIGUOUS if places else NO_VALUE)
        return self.at(named.table, *places[0])

    def at(self, table: int, row: int, column: int) -> FoundCell:
        """Return the cell at a place."""
        cell = self.grids[table].cells.get((row, column))
        operand = Operand(
            table_index=table,
            row=row,
            column=column,
            text=self.sheets[table].cells[row][column],
            value="" if cell is None else f"{cell.value:f}",
        )
        return FoundCell(operand, self.grids[table], cell)

    def find_rival(self, question: str, cells: Sequence[FoundCell]) -> str | None:
        """Name another cell that a question fits as well as one of `cells`; None if none does."""
        if years := years_in(question):  # a span has all its years
            first = min(years) - any(words.search(question) for words in (_CHANGE, UP, DOWN))
            question = " ".join([question, *map(str, range(first, max(years) + 1))])
        read = {cell.place for cell in cells}
        for cell in cells:
            table, row, column = cell.place
            rows = self.sheets[table].cells
            own = _labels(question, cell.grid, rows, row, column)
            for r, c in self._others(cell):
                other, text = _labels(question, cell.grid, rows, r, c), rows[r][c]
                is_spanned = r == row and other == own and text == cell.operand.text
                if (table, r, c) in read or is_spanned:
                    continue
                if all(_fits(question, *pair) for pair in zip(own, other, strict=True)):
                    return " / ".join(filter(None, other))
        return None

    def _others(self, cell: FoundCell) -> Collection[tuple[int, int]]:
        """List the places of all numbers of a cell's table, or of all texts if it is one."""
        numbers = cell.grid.cells.keys()
        if cell.cell is not None:
            return numbers
        rows = self.sheets[cell.operand.table_index].cells
        places = ((r, c) for r, row in enumerate(rows) for c in range(1, len(row)) if row[c])
        return [place for place in places if place not in numbers]


def _places(
    text: str, rows: Sequence[int], columns: Sequence[int], sheet: Sheet
) -> Iterator[tuple[int, int]]:
    if not any(map(str.isalnum, text)):
        return  # a dash says nothing
    for r in rows:
        for c in columns:
            if c < len(sheet.cells[r]) and cell_text(sheet.cells[r][c]) == text:
                yield r, c


def _is_row(named: str, line: TableLine) -> bool:
    words = words_of(named)
    own, above = words_of(line.text), words_of(line.above)
    return bool(words) and words in (own, above + own, own + above)


def _columns(named: str, grid: Grid) -> list[int]:
    """List the columns with this heading, or else those whose heading has all its words."""
    words = words_of(named)
    heads = [(c, words_of(line.text)) for c, line in enumerate(grid.columns) if c]
    if same := [c for c, head in heads if head == words]:
        return same
    return [c for c, head in heads if words and set(words) <= set(head)]


def _is_spanned(
    at: tuple[int, int], places: Sequence[tuple[int, int]], sheet: Sheet, grid: Grid
) -> bool:
    """Tell whether a cell is the one before it, which spans two columns of one heading."""
    r, c = at
    return (
        (r, c - 1) in places
        and sheet.cells[r][c - 1] == sheet.cells[r][c]
        and grid.columns[c - 1] == grid.columns[c]
    )


def _labels(question: str, grid: Grid, rows: Cells, row: int, column: int) -> tuple[str, str, str]:
    """Return what names a cell: its row's label and section, and its column's heading.

    Words between label and cell belong to the label. The row above is the section of a label that
    recurs outside sections, if the question has the label.
    """
    line = grid.rows[row]
    words = [text for text in rows[row][1:column] if text[:1].isalpha()]
    recurs = row > 0 and not line.above and [each.text for each in grid.rows].count(line.text) > 1
    above = grid.rows[row - 1].text if recurs and _fullness(question, line.text) > 1 else line.above
    return " ".join([line.text, *words]), above, grid.columns[column].text


def _fits(question: str, own: str, other: str) -> bool:
    """Tell whether what a question says of a label is true of another label, too."""
    asked, ours, theirs = map(_words, (question, own, other))
    if words_of(own) == ["total"] != words_of(other) and not theirs & asked:
        return False  # it says nothing of the parts
    is_true = ours & asked <= theirs and theirs & _NEGATIONS <= asked | ours
    return is_true and _fullness(question, own) <= _fullness(question, other)


def _fullness(question: str, label: str) -> int:
    """Return 3 if a question has a label, 2 if it has its words, 1 if its terms that count."""
    words, of_question = _words(label), _words(question)
    if words and f" {' '.join(words_of(label))} " in f" {' '.join(words_of(question))} ":
        return 3
    terms = term_set(label) - _WEAK
    return 2 if words and words <= of_question else int(bool(terms) and terms <= of_question)


@lru_cache(maxsize=1 << 10)
def _words(text: str) -> Set[str]:
    years = map(str, years_in(text))
    return term_set(text).union(years, set(words_of(text)) - (STOP_WORDS - _NEGATIONS))


def words_of(text: str) -> list[str]:
    """Split a label or a question into words and signs; months are short, notes' marks dropped."""
    text = unicodedata.normalize("NFKC", NOTE.sub("", text)).casefold()
    return [_MONTHS.get(word, word) for word in re.findall(r"\w+|[%$€£¥]", text)]


def cell_text(text: str) -> str:
    """Return a cell's text as it is compared: signs kept, currency and separators dropped."""
    text = unicodedata.normalize("NFKC", text).translate(_MINUS).casefold()
    if not any(map(str.isdigit, text)):
        return " ".join(text.split())
    text = _SEPARATOR.sub("", re.sub(r"[\s$€£¥%]", "", text))
    bracketed = re.fullmatch(r"\((\d[\d.]*)\)?", text)
    return f"-{bracketed[1]}" if bracketed else text
