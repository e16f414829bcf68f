"""All tables of a context: cells, series, and how rare their words are."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from tasks.suites.faith.derivations.periods import PART_OF_YEAR, QUARTER
from tasks.suites.shared.tables.cells import Cell, Grid, read_grid, scale_for_all
from tasks.suites.shared.tables.sheets import Sheet
from tasks.suites.shared.tables.words import term_set

# Names that say nothing alone: such a row is named by its section.
_GENERIC = term_set("total subtotal consolidated worldwide other")
_TOTAL = ("total", "subtotal", "consolidated", "grand total")
N_QUARTERS = 4  # quarters of a year
_N_BEFORE = 300  # characters before a table that describe all of it

# How far words of each part of a name count, and how much they are missed if the passage lacks
# them: of a row's label, its section, what stands before the table, and a column's head.
_WORTH = (1.0, 0.7, 0.35, 0.9)
_NEED = (1.0, 0.12, 0.0, 0.5)
# What remains of a name's weight if it shares nothing with the sure, or likely, phrase.
_TIGHT, _LOOSE = 0.2, 0.3

Floats = NDArray[np.float64]
Series = dict[int, Cell]  # a metric's cells by year, along a row or a column


@dataclass(frozen=True, slots=True)
class Period:
    """The time of a cell."""

    years: tuple[int, ...]  # of its column or else its row, in order
    is_part_of_year: bool
    latest: int  # of the table; 0 if it names none


@dataclass(frozen=True, slots=True)
class Names:
    """How a passage names each cell, by the rarity of its words."""

    name: Floats  # in all, 0 to 1
    phrase: Floats  # share of the figure's phrase that the name has; words in two parts count twice


class Tables:
    """Tables, indexed once for all passages about them."""

    def __init__(self, sheets: Sequence[Sheet]) -> None:
        scale = scale_for_all(sheets)
        self.grids = {sheet.index: read_grid(sheet, scale) for sheet in sheets}
        self.cells = [cell for grid in self.grids.values() for cell in grid.cells.values()]
        self.place = {cell: place for place, cell in enumerate(self.cells)}
        rows = {(cell.table_index, cell.row): None for cell in self.cells}
        columns = {(cell.table_index, cell.column): None for cell in self.cells}
        self._rarity, self._unknown = self._rarities()
        names = [self._row_name(self.grids[index], row) for index, row in rows]
        heads = [term_set(self.grids[index].columns[column].text) for index, column in columns]
        labels = zip(*names, strict=True) if names else ((), (), ())
        # label, section, words before the table, head -> terms of each line
        self._parts = [_Part(part, self._rarity) for part in (*labels, heads)]
        self.row_of = _lines([(cell.table_index, cell.row) for cell in self.cells])
        self.column_of = _lines([(cell.table_index, cell.column) for cell in self.cells])
        self.table_of = _lines([cell.table_index for cell in self.cells])
        self._lines_of = (self.row_of, self.row_of, self.row_of, self.column_of)
        texts = [self.grids[cell.table_index].rows[cell.row].text.lower() for cell in self.cells]
        self.is_total = np.array([text.startswith(_TOTAL) for text in texts], dtype=bool)
        self._sorted = sorted(self.cells, key=lambda cell: abs(cell.value))
        self._sizes = [abs(cell.value) for cell in self._sorted]
        self._by_row: dict[tuple[int, int], list[Cell]] = defaultdict(list)
        for cell in self.cells:
            self._by_row[cell.table_index, cell.row].append(cell)
        self.all_series = self._series()
        self._latest = {
            index: max(
                (year for cell in grid.cells.values() for year in grid.years_of(cell)), default=0
            )
            for index, grid in self.grids.items()
        }
        found = [self._period(cell) for cell in self.cells]
        self.periods = list(dict.fromkeys(found))
        index = {period: place for place, period in enumerate(self.periods)}
        self.period_of = np.array([index[period] for period in found], dtype=np.int64)
        # (table, row) -> year -> the metric's amounts in the year's four quarters
        self.quarters = self._quarters()

    def names(
        self,
        weights: Mapping[str, float],
        phrase: AbstractSet[str],
        *,
        is_tight: bool,
    ) -> Names:
        """Measure how a passage names each cell.

        Args:
            weights: stem -> how far it speaks of the figure, 0 to 1.
            phrase: the terms that name the figure.
            is_tight: whether the phrase surely names it.
        """
        full = dict.fromkeys(phrase, 1.0)
        capped = {term: min(1.0, 1.3 * weight) for term, weight in weights.items()}
        parts = list(zip(self._parts, self._lines_of, strict=True))
        mass, said, of_phrase = (
            [part.said(terms, self._rarity)[at] for part, at in parts]
            for terms in (weights, capped, full)
        )
        weight = [part.weight[at] for part, at in parts]
        in_phrase = sum(self._rarity.get(term, self._unknown) for term in sorted(phrase)) or 1.0
        total = sum((worth * each for worth, each in zip(_WORTH, mass, strict=True)), _ZERO)
        needed, needs = (
            sum((need * each for need, each in zip(_NEED, part, strict=True)), _ZERO)
            for part in (said, weight)
        )
        share = np.divide(needed, needs, out=np.zeros_like(needed), where=needs > 0)
        phrase_share = sum(of_phrase, _ZERO) / in_phrase
        least = _TIGHT if is_tight else _LOOSE
        share *= least + (1 - least) * (np.minimum(1, phrase_share) if phrase else 1.0)
        rated = total * share
        most = rated.max(initial=0.0)
        return Names(
            name=share * np.sqrt(rated / most) * total / (total + 1) if most else 0 * rated,
            phrase=phrase_share,
        )

    def named_by(self, cells: Sequence[Cell], terms: AbstractSet[str]) -> tuple[str, ...]:
        """Find the terms that name the cells' rows and columns, in order."""
        found = {
            part.names[lines[self.place[cell]]]
            for cell in cells
            for part, lines in zip(self._parts, self._lines_of, strict=True)
        }
        return tuple(sorted(frozenset().union(*found) & terms))

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

    def in_row(self, cell: Cell) -> Sequence[Cell]:
        """Find all cells of a cell's row."""
        return self._by_row[cell.table_index, cell.row]

    def _period(self, cell: Cell) -> Period:
        grid = self.grids[cell.table_index]
        text = f"{grid.columns[cell.column].text} {grid.rows[cell.row].text}"
        return Period(
            grid.years_of(cell),
            bool(PART_OF_YEAR.search(text)),
            self._latest[grid.index],
        )

    def _row_name(self, grid: Grid, row: int) -> tuple[frozenset[str], ...]:
        line = grid.rows[row]
        own, above = term_set(line.text), term_set(line.above)
        if own <= _GENERIC:
            own, above = above, own
        above -= own
        return own, above, term_set(grid.pre_text[-_N_BEFORE:]) - own - above

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

    def _series(self) -> list[Series]:
        """Find all series; none if a period stands twice or units differ."""
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
        return [
            series
            for dated in found.values()
            if len(series := dict(dated)) == len(dated)
            and len({cell.unit for cell in series.values()}) == 1
        ]

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
                if len(cells) == N_QUARTERS and not self._is_stated(cells)
            }
            for row, years in found.items()
        }

    def _is_stated(self, cells: Sequence[Cell]) -> bool:
        """Check whether a cell states what others add up to."""
        total = abs(sum((cell.value for cell in cells), Decimal(0)))
        # each is rounded, by half a step at most
        off = len(cells) * Decimal(1).scaleb(-min(cell.decimals for cell in cells)) / 2
        return any(cell.unit == cells[0].unit for cell in self.stating(total, off))


class _Part:
    """One part of the names of all rows or columns."""

    def __init__(self, names: Sequence[frozenset[str]], rarity: Mapping[str, float]) -> None:
        self._lines: dict[str, list[int]] = defaultdict(list)
        for line, terms in enumerate(names):
            for term in terms:
                self._lines[term].append(line)
        self.names = names
        self.weight = self.said(dict.fromkeys(self._lines, 1.0), rarity)

    def said(self, weights: Mapping[str, float], rarity: Mapping[str, float]) -> Floats:
        """Weigh what a text says of each line."""
        found = np.zeros(len(self.names))
        for term in sorted(weights):  # sums must not depend on the hash seed
            if lines := self._lines.get(term):
                found[lines] += rarity[term] * weights[term]
        return found


_ZERO: Floats = np.zeros(1)


def _lines(keys: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return the number of each cell's line, counted as lines appear."""
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys], dtype=np.int64)


def _timeless(name: str) -> str:
    """Drop the year from a name, but not parts of a year."""
    part = PART_OF_YEAR.search(name)
    return " ".join(sorted({*term_set(name), *([part[0].lower()] if part else [])}))
