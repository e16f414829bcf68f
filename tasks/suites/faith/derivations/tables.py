"""All tables of a context: their cells, what names each, and the cells of one metric by year."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from tasks.suites.shared.tables.cells import Cell, read_grid, scale_for_all
from tasks.suites.shared.tables.sheets import Sheet
from tasks.text.metric_words import term_set

# Names that say nothing alone: such a row is named by its section, or else by its table.
_GENERIC = term_set("total subtotal consolidated worldwide other")
# How far words of a row's section, a column's head and before the table belong to a cell's name.
_OF_SECTION, _OF_HEAD, _OF_CAPTION = 0.5, 0.5, 0.1
_N_CAPTION = 300  # characters before a table that describe all of it


@dataclass(frozen=True, slots=True)
class Name:
    """The words that name a cell, weighed by how rare they are: term -> weight."""

    own: Mapping[str, float]  # those of its row alone
    full: Mapping[str, float]  # with its section, its column and its table

    @property
    def size(self) -> float:
        """The length of the full name as a vector."""
        return math.sqrt(sum(weight * weight for weight in self.full.values()))


class ShownTables:
    """Tables, indexed once for all passages about them."""

    def __init__(self, sheets: Sequence[Sheet]) -> None:
        scale = scale_for_all(sheets)
        self.grids = {sheet.index: read_grid(sheet, scale) for sheet in sheets}
        self.cells = [cell for grid in self.grids.values() for cell in grid.cells.values()]
        lines = [line for grid in self.grids.values() for line in (*grid.rows, *grid.columns)]
        self._n_lines = len(lines)
        self._n_with = Counter(
            term for line in lines for term in term_set(line.text) | term_set(line.above)
        )
        self.name = {cell: self._name(cell) for cell in self.cells}
        self.pairs = list(self._pairs())

    def rarity(self, term: str) -> float:
        """Return how rare a term is in the names of rows and columns."""
        return math.log(1 + self._n_lines / (1 + self._n_with[term]))

    def year_of(self, cell: Cell) -> int | None:
        """Return the first year that a cell's column, or else its row, names."""
        return next(iter(self.grids[cell.table_index].years_of(cell)), None)

    def is_change(self, cell: Cell) -> bool:
        """Check whether the cell itself states a change."""
        return self.grids[cell.table_index].is_change(cell)

    def title_of(self, cell: Cell) -> str:
        """Name a cell as an answer refers to it: section, row, column."""
        grid = self.grids[cell.table_index]
        row, column = grid.rows[cell.row], grid.columns[cell.column]
        return ", ".join(part for part in (row.above, row.text, column.text) if part)

    def _name(self, cell: Cell) -> Name:
        grid = self.grids[cell.table_index]
        row = grid.rows[cell.row]
        own, above = term_set(row.text), term_set(row.above)
        caption = term_set(grid.pre_text[-_N_CAPTION:])
        if own <= _GENERIC:
            own, above = above or caption, own
        head = term_set(grid.columns[cell.column].text)
        weights: dict[str, float] = {}
        parts = [(caption, _OF_CAPTION), (above, _OF_SECTION), (head, _OF_HEAD), (own, 1)]
        for terms, weight in parts:
            # sorted, since sums must not depend on the hash seed
            weights |= {term: weight * self.rarity(term) for term in sorted(terms)}
        return Name({term: self.rarity(term) for term in sorted(own)}, weights)

    def _pairs(self) -> Iterator[tuple[Cell, Cell]]:
        """Yield two cells of one metric, the later one first."""
        series: dict[tuple[int, str, str], list[tuple[int, Cell]]] = defaultdict(list)
        for cell in self.cells:
            grid, year = self.grids[cell.table_index], self.year_of(cell)
            row, column = grid.rows[cell.row], grid.columns[cell.column]
            if year is None or grid.is_change(cell):
                continue
            key = (f"row {cell.row}", " ".join(sorted(term_set(column.text))))
            if not column.years:
                key = (f"column {cell.column}", " ".join(sorted(term_set(row.text))))
            series[(grid.index, *key)].append((year, cell))
        for dated in series.values():
            by_year = dict(dated)
            units = {cell.unit for cell in by_year.values()}
            if len(by_year) == len(dated) and len(units) == 1:
                for earlier, later in combinations(sorted(by_year), 2):
                    yield by_year[later], by_year[earlier]
