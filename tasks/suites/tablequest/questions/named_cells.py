"""The cells that a writer names: found in the snippet's tables, or not at all.

A cell is named by its table, row label, column heading and text. The row's label must be the
table's, with or without the label that opens its section. The heading's words must all be in the
column's. The text must be the cell's, apart from currency signs, spaces, percent signs and
separators of thousands; a sign or bracket counts. Exactly one cell must fit. If several do, the
name is ambiguous, even if they say the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass

from tasks.suites.shared.tables.cells import Cell, Grid, Line, read_grid, scale_for_all, years_in
from tasks.suites.shared.tables.operand import Operand
from tasks.suites.shared.tables.sheets import Sheet
from tasks.suites.shared.tables.words import term_set
from tasks.suites.tablequest.snippets import sheets_of

NO_TABLE = "the snippet has no such table"
NO_ROW = "the table has no such row"
NO_COLUMN = "the row's table has no such column"
NO_VALUE = "no cell of this row and column has this text"
AMBIGUOUS = "several cells fit the name"

_SEPARATOR = re.compile(r"(?<=\d),(?=\d{3})")
_NOTE = re.compile(
    r"\s*(?:\((?:notes? )?\d{1,2}(?:(?:,| and) ?\d{1,2})*\)|\([a-z]\)|\*+|[†‡]+)\s*\Z",
    re.IGNORECASE,
)
_MINUS = str.maketrans("−–—‐‑‒", "------")


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


class CellNotFound(ValueError):
    """A name that fits no cell, or several; the message is one of this module's constants."""


class Tables:
    """The tables of a snippet, read cell by cell."""

    def __init__(self, text: str) -> None:
        self.text = text
        sheets = sheets_of(text)
        scale = scale_for_all(sheets)
        self.sheets = {sheet.index: sheet for sheet in sheets}
        self.grids = {sheet.index: read_grid(sheet, scale) for sheet in sheets}

    @property
    def cells(self) -> list[Cell]:
        """All numbers of all tables."""
        return [cell for grid in self.grids.values() for cell in grid.cells.values()]

    def cell_texts(self, indices: Collection[int]) -> list[str]:
        """List the texts of the cells of some tables."""
        return [cell for at in indices for row in self.sheets[at].cells for cell in row]

    def words_before(self, indices: Collection[int]) -> list[str]:
        """List the paragraphs before some tables."""
        return [self.sheets[at].pre_text for at in indices]

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
        text = cell_text(named.value)
        if not any(map(str.isalnum, text)):
            raise CellNotFound(NO_VALUE)  # a dash says nothing
        found = [
            (r, c)
            for r in rows
            for c in columns
            if c < len(sheet.cells[r]) and cell_text(sheet.cells[r][c]) == text
        ]
        found = [at for at in found if not _is_spanned(at, found, sheet, grid)]
        if len(found) != 1:
            raise CellNotFound(AMBIGUOUS if found else NO_VALUE)
        ((r, c),) = found
        cell = grid.cells.get((r, c))
        operand = Operand(
            table_index=sheet.index,
            row=r,
            column=c,
            text=sheet.cells[r][c],
            value="" if cell is None else f"{cell.value:f}",
        )
        return FoundCell(operand, grid, cell)


def contradiction(question: str, found: FoundCell, beside: Sequence[FoundCell] = ()) -> str | None:
    """Say how a question about one cell asks for another one; None if it does not.

    It does if it names years and none of the cell's. It also does if another row (or column) fits
    it better: the question has all words of that name, and has not all of the cell's own and none
    that only the cell's has; or that name has more words; or both have the same terms, and only
    that name's other words are there, too (`Notes due 2031`, `Notes due 2060`).

    Args:
        beside: cells that the answer reads, too; the question may name their rows and columns.
    """
    grid, operand = found.grid, found.operand
    asked = set(years_in(question))
    years = grid.columns[operand.column].years or grid.rows[operand.row].years
    if asked and years and not asked & set(years) and not beside:
        return f"the question names {sorted(asked)}, the cell is of {list(years)}"
    words = term_set(question) | set(words_of(question))
    others = [cell.operand for cell in beside if cell.grid is grid]
    rows = [
        line
        for r, line in enumerate(grid.rows)
        if _has_numbers(grid, r) and all(r != other.row for other in others)
    ]
    columns = [
        line
        for c, line in enumerate(grid.columns)
        if c and all(c != other.column for other in others)
    ]
    for own, lines in ((grid.rows[operand.row], rows), (grid.columns[operand.column], columns)):
        mine, all_mine = _name(own), set(words_of(own.text))
        for line in lines:
            name = _name(line)
            if not name or not name <= words:
                continue
            is_better = (
                mine & words <= name
                if not mine <= words
                else mine < name
                or (mine == name and set(words_of(line.text)) <= words and not all_mine <= words)
            )
            if is_better and name | set(words_of(line.text)) != mine | all_mine:
                return f"the question names {line.text!r}, the cell is of {own.text!r}"
    return None


def _name(line: Line) -> Set[str]:
    """Return the words that name a row or column: its terms, or else all, as of `Total`."""
    return term_set(line.text) or set(words_of(line.text))


def _has_numbers(grid: Grid, row: int) -> bool:
    return any(r == row for r, _ in grid.cells)


def _is_row(named: str, line: Line) -> bool:
    wanted = words_of(named)
    if not wanted:
        return False
    own, above = words_of(line.text), words_of(line.above)
    return wanted in (own, above + own, own + above)


def _columns(named: str, grid: Grid) -> list[int]:
    """List the columns with this heading, or else those whose heading has all its words."""
    wanted = words_of(named)
    heads = [(c, words_of(line.text)) for c, line in enumerate(grid.columns) if c]
    if same := [c for c, head in heads if head == wanted]:
        return same
    return [c for c, head in heads if wanted and set(wanted) <= set(head)]


def words_of(text: str) -> list[str]:
    """Split a label or a question into words and signs, without the mark of a note."""
    text = unicodedata.normalize("NFKC", _NOTE.sub("", text)).casefold()
    return re.findall(r"\w+|[%$€£¥]", text)


def cell_text(text: str) -> str:
    """Return a cell's text as it is compared: signs kept, currency and separators dropped."""
    text = unicodedata.normalize("NFKC", text).translate(_MINUS).casefold()
    if not any(map(str.isdigit, text)):
        return " ".join(text.split())
    text = _SEPARATOR.sub("", re.sub(r"[\s$€£¥%]", "", text))
    bracketed = re.fullmatch(r"\((\d[\d.]*)\)?", text)
    return f"-{bracketed[1]}" if bracketed else text


def _is_spanned(
    at: tuple[int, int], found: Sequence[tuple[int, int]], sheet: Sheet, grid: Grid
) -> bool:
    """Tell whether a cell is the one before it, which spans two columns of one heading."""
    r, c = at
    return (
        (r, c - 1) in found
        and sheet.cells[r][c - 1] == sheet.cells[r][c]
        and grid.columns[c - 1] == grid.columns[c]
    )
