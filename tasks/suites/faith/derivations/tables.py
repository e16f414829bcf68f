"""All tables of a context: cells, series, and how rare their words are."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from tasks.suites.faith.derivations.periods import PART_OF_YEAR, QUARTER
from tasks.suites.shared.tables.cells import Cell, Grid, read_grid, scale_for_all
from tasks.suites.shared.tables.sheets import Sheet
from tasks.suites.shared.tables.words import term_set

# Names that say nothing alone: such a row is named by its section.
_GENERIC = term_set("total subtotal consolidated worldwide other")
_TOTAL = ("total", "subtotal", "consolidated", "grand total")
_N_QUARTERS = 4  # quarters of a year
_N_BEFORE = 300  # characters before a table that describe all of it

# Part of a name -> weight of its words, and how much they are missed if the passage lacks them.
_OWN, _COLUMN, _ABOVE, _BEFORE = (1.0, 1.0), (0.9, 0.5), (0.7, 0.12), (0.35, 0.0)
# What remains of a name's weight if it shares nothing with the sure, or likely, phrase.
_TIGHT, _LOOSE = 0.2, 0.3

_Part = tuple[frozenset[str], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Series:
    """A metric's cells by period, along a row or a column."""

    by_year: dict[int, Cell]
    is_total: bool  # whether its name says that it is a total


class Tables:
    """Tables, indexed once for all passages about them."""

    def __init__(self, sheets: Sequence[Sheet]) -> None:
        scale = scale_for_all(sheets)
        self.grids = {sheet.index: read_grid(sheet, scale) for sheet in sheets}
        self.cells = [cell for grid in self.grids.values() for cell in grid.cells.values()]
        self._by_row: dict[tuple[int, int], list[Cell]] = defaultdict(list)
        for cell in self.cells:
            self._by_row[cell.table_index, cell.row].append(cell)
        self._row_names = {row: self._row_name(self.grids[row[0]], row[1]) for row in self._by_row}
        self._column_names = {
            (index, c): term_set(line.text)
            for index, grid in self.grids.items()
            for c, line in enumerate(grid.columns)
        }
        self._rarity, self._unknown = self._rarities()
        self._sorted = sorted(self.cells, key=lambda cell: abs(cell.value))
        self._sizes = [abs(cell.value) for cell in self._sorted]
        self._series_of_cell = self._series()
        # table -> its latest year; 0 if it names none
        self.latest = {
            index: max(
                (year for cell in grid.cells.values() for year in grid.years_of(cell)),
                default=0,
            )
            for index, grid in self.grids.items()
        }
        # (table, row), change in percent (None across zero), difference: period to period
        self.yearly_changes = list(self._yearly_changes())
        # (table, row) -> year -> the metric's amounts in the year's four quarters
        self.quarters = self._quarters()

    def named(
        self, weights: dict[str, float], phrase: frozenset[str], is_tight: bool
    ) -> Iterator[tuple[Cell, float, float, tuple[str, ...]]]:
        """Find the cells that a text names in any way.

        Yields:
            the cell; the weight of the words by rarity; their share of the cell's name and of the
            phrase that names the figure, 0 to 1; the words.
        """
        in_phrase = sum(self._rarity.get(term, self._unknown) for term in _in_order(phrase))
        least = _TIGHT if is_tight else _LOOSE
        for row, cells in self._by_row.items():
            names = self._row_names[row]
            parts = [self._said(name, weights, phrase) for name in names]
            known = frozenset.union(*(terms for terms, _ in names))
            for cell in cells:
                column = self._column_names[cell.table_index, cell.column] - known
                found = [*parts, self._said((column, _COLUMN), weights, phrase)]
                mass, said, whole, covered = (
                    sum(part) for part in zip(*(numbers for numbers, _ in found), strict=True)
                )
                if mass and whole:
                    of_phrase = covered / in_phrase if in_phrase else 1.0
                    share = said / whole * (least + (1 - least) * of_phrase)
                    yield cell, mass, share, tuple(word for _, part in found for word in part)

    def _said(
        self, name: _Part, weights: dict[str, float], phrase: frozenset[str]
    ) -> tuple[tuple[float, float, float, float], list[str]]:
        """Find what a text says of one part of a name.

        Returns the weight of its words; how much of the name it has, and could have; how much of
        the phrase it has; the words.
        """
        terms, (worth, need) = name
        mass = said = whole = covered = 0.0
        words = []
        for term in _in_order(terms):
            rarity = self._rarity[term]
            whole += need * rarity
            if weight := weights.get(term):
                mass += worth * rarity * weight
                said += need * rarity * min(1.0, weight * 1.3)
                words.append(term)
                if term in phrase:
                    covered += rarity
        return (mass, said, whole, covered), words

    def is_change(self, cell: Cell) -> bool:
        """Check whether the cell itself states a change."""
        return self.grids[cell.table_index].is_change(cell)

    def name_of(self, cell: Cell) -> str:
        """Name a cell as an answer refers to it: section, row, column."""
        grid = self.grids[cell.table_index]
        row, column = grid.rows[cell.row], grid.columns[cell.column]
        return ", ".join(part for part in (row.above, row.text, column.text) if part)

    def stating(self, size: Decimal, step: Decimal) -> list[Cell]:
        """Find the cells within a step of a size, signs aside."""
        first = bisect_left(self._sizes, size - step)
        last = bisect_right(self._sizes, size + step)
        return self._sorted[first:last]

    def series_of(self, cell: Cell) -> tuple[Series, int] | None:
        """Find the series that a cell belongs to, and its year in it."""
        return self._series_of_cell.get(cell)

    def _row_name(self, grid: Grid, row: int) -> tuple[_Part, _Part, _Part]:
        line = grid.rows[row]
        own, above = term_set(line.text), term_set(line.above)
        if own <= _GENERIC:
            own, above = above, own
        above -= own
        return (
            (own, _OWN),
            (above, _ABOVE),
            (term_set(grid.pre_text[-_N_BEFORE:]) - own - above, _BEFORE),
        )

    def _rarities(self) -> tuple[dict[str, float], float]:
        """Compute how rare each word is in names, and an unknown word."""
        lines = [line for grid in self.grids.values() for line in (*grid.rows, *grid.columns)]
        n = max(1, len(lines))
        found = Counter(
            term for line in lines for term in term_set(line.text) | term_set(line.above)
        )
        rarity = {term: math.log(1 + n / count) for term, count in found.items()}
        for grid in self.grids.values():
            for term in term_set(grid.pre_text[-_N_BEFORE:]):
                rarity.setdefault(term, math.log(1 + n))
        return rarity, math.log(1 + n)

    def _series(self) -> dict[Cell, tuple[Series, int]]:
        """Find each cell's series; none if a period stands twice or units differ."""
        found: dict[tuple[int, str, str], list[tuple[int, Cell]]] = defaultdict(list)
        for cell in self.cells:
            grid = self.grids[cell.table_index]
            column, row = grid.columns[cell.column], grid.rows[cell.row]
            if column.years and not column.is_change:
                found[grid.index, f"row {cell.row}", _timeless(column.text)].append(
                    (column.years[0], cell)
                )
            elif row.years and not column.years and not row.is_change:
                found[grid.index, _timeless(row.text), f"column {cell.column}"].append(
                    (row.years[0], cell)
                )
        by_cell = {}
        for dated in found.values():
            by_year = dict(dated)
            if len(by_year) == len(dated) and len({cell.unit for cell in by_year.values()}) == 1:
                series = Series(by_year, self._is_total(dated[0][1]))
                by_cell.update({cell: (series, year) for year, cell in dated})
        return by_cell

    def _quarters(self) -> dict[tuple[int, int], dict[int, tuple[Cell, ...]]]:
        found: dict[tuple[int, int], dict[int, list[Cell]]] = {}
        for cell in self.cells:
            column = self.grids[cell.table_index].columns[cell.column]
            is_quarter = (
                QUARTER.search(column.text) and not column.is_change and len(column.years) == 1
            )
            if is_quarter and cell.unit in ("money", "amount"):
                row = found.setdefault((cell.table_index, cell.row), {})
                row.setdefault(column.years[0], []).append(cell)
        return {
            row: {
                year: tuple(cells)
                for year, cells in years.items()
                if len(cells) == _N_QUARTERS and not self._is_stated(cells)
            }
            for row, years in found.items()
        }

    def _is_stated(self, cells: Sequence[Cell]) -> bool:
        """Check whether a cell states what others add up to."""
        total = abs(sum((cell.value for cell in cells), Decimal(0)))
        # each is rounded, by half a step at most
        off = len(cells) * Decimal(1).scaleb(-min(cell.decimals for cell in cells)) / 2
        return any(cell.unit == cells[0].unit for cell in self.stating(total, off))

    def _is_total(self, cell: Cell) -> bool:
        return self.grids[cell.table_index].rows[cell.row].text.lower().startswith(_TOTAL)

    def _yearly_changes(
        self,
    ) -> Iterator[tuple[tuple[int, int], Decimal | None, Decimal]]:
        for series in {id(series): series for series, _ in self._series_of_cell.values()}.values():
            years = sorted(series.by_year)
            for earlier, later in itertools.pairwise(years):
                old, new = series.by_year[earlier], series.by_year[later]
                difference = new.value - old.value
                same_side = old.value * new.value > 0
                yield (
                    (new.table_index, new.row),
                    100 * difference / abs(old.value) if same_side else None,
                    difference,
                )


@lru_cache(maxsize=65536)
def _in_order(terms: frozenset[str]) -> tuple[str, ...]:
    """Sort terms: sums and words must not depend on the hash seed."""
    return tuple(sorted(terms))


def _timeless(name: str) -> str:
    """Drop the year from a name, but not parts of a year."""
    part = PART_OF_YEAR.search(name)
    return " ".join(sorted({*term_set(name), *([part[0].lower()] if part else [])}))


def totals_of(tables: Tables, cell: Cell) -> Iterable[Cell]:
    """Find the cells of a cell's column that are named as totals."""
    for other in tables.grids[cell.table_index].cells.values():
        if other.column == cell.column and other.row != cell.row and other.unit == cell.unit:
            found = tables.series_of(other)
            if found and found[0].is_total:
                yield other
