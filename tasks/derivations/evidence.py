"""How far a passage speaks of a cell: of its row and column by name, of its period, and by figures beside it."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from tasks.derivations.cells import Cell, Grid, read_grid
from tasks.derivations.passage import Reading, When, terms_of
from tasks.text.figures import Figure, find_figures
from tasks.text.sheets import Sheet

_PART_OF_YEAR = re.compile(
    r"\b(?:three|six|nine) months|\b(?:first|second|third|fourth) quarter|\bquarter\w*|\bQ[1-4]\b",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"(?:grand |sub)?total\b|consolidated\b", re.IGNORECASE)

_GENERIC = frozenset(terms_of("total subtotal consolidated worldwide other"))

Key = tuple[int, str, str]  # table, row, column, without what names the period


@dataclass(frozen=True, slots=True)
class Series:
    """What one metric is in each period: the cells of one row, or of one column of a table with years down.

    is_total  whether it is named as the total of others
    """

    key: Key
    by_year: dict[int, Cell]
    is_total: bool


class Tables:
    """All tables of a context, read once, with how rare each word is among their names."""

    def __init__(self, sheets: Sequence[Sheet]) -> None:
        self.grids = {sheet.index: read_grid(sheet) for sheet in sheets}
        self.cells = [cell for grid in self.grids.values() for cell in grid.cells.values()]
        self._rows = {
            (grid.index, r): frozenset(terms_of(line.text))
            for grid in self.grids.values()
            for r, line in enumerate(grid.rows)
        }
        self._above = {
            (grid.index, r): frozenset(terms_of(line.above))
            for grid in self.grids.values()
            for r, line in enumerate(grid.rows)
        }
        self._columns = {
            (grid.index, c): frozenset(terms_of(line.text))
            for grid in self.grids.values()
            for c, line in enumerate(grid.columns)
        }
        self._before = {grid.index: frozenset(terms_of(grid.pre_text[-300:])) for grid in self.grids.values()}
        found = Counter(term for key, terms in self._rows.items() for term in terms | self._above[key])
        found.update(term for terms in self._columns.values() for term in terms)
        n = max(1, len(self._rows))
        self.rarity = {term: math.log(1 + n / count) for term, count in found.items()}
        for terms in self._before.values():
            for term in terms:
                self.rarity.setdefault(term, math.log(1 + n))
        self.series = _series(self.grids.values(), self)
        self.latest = {
            index: max((year for cell in grid.cells.values() for year in grid.years_of(cell)), default=0)
            for index, grid in self.grids.items()
        }

    def name_of(self, cell: Cell) -> str:
        """A cell's section, row and column in words, as an answer refers to it."""
        grid = self.grids[cell.table_index]
        row, column = grid.rows[cell.row], grid.columns[cell.column]
        return ", ".join(part for part in (row.above, row.text, column.text) if part)

    def named(self, cell: Cell, weights: dict[str, float]) -> tuple[float, float, list[str]]:
        """How much of a cell's name a text says (mass), how much that is of the name (0 to 1), and the words."""
        row_key, column_key = (cell.table_index, cell.row), (cell.table_index, cell.column)
        own = self._rows[row_key]
        above = self._above[row_key] - own
        if own <= _GENERIC:  # `Total` under a section is named by the section
            own, above = above, own
        columns = self._columns[column_key] - own
        before = self._before[cell.table_index] - own - above - columns
        said = mass = whole = 0.0
        words = []
        for terms, worth, need in (
            (own, 1.0, 1.0),
            (columns, 0.9, 0.5),
            (above, 0.7, 0.12),
            (before, 0.35, 0.0),
        ):
            for term in terms:
                rarity = self.rarity.get(term, 1.0)
                weight = weights.get(term, 0.0)
                whole += need * rarity
                if weight:
                    mass += worth * rarity * weight
                    said += need * rarity * min(1.0, weight * 1.3)
                    words.append(term)
        return mass, said / whole if whole else 0.0, words


def _timeless(name: str) -> str:
    """A name without what says its period; parts of a year stay apart from years."""
    part = _PART_OF_YEAR.search(name)
    return " ".join(sorted({*terms_of(name), *([part[0].lower()] if part else [])}))


def _series(grids: Sequence[Grid], tables: Tables) -> dict[tuple[int, int, int], Series]:
    """The series of each cell, by table, row and column; none where a period stands twice."""
    found: dict[Key, list[tuple[int, Cell]]] = defaultdict(list)
    for grid in grids:
        for cell in grid.cells.values():
            column, row = grid.columns[cell.column], grid.rows[cell.row]
            if grid.is_change(cell) and column.is_change:
                continue
            if column.years:
                key = (grid.index, f"{cell.row}", _timeless(column.text))
                found[key].append((column.years[0], cell))
            elif row.years:
                key = (grid.index, _timeless(row.text), f"{cell.column}")
                found[key].append((row.years[0], cell))
    by_cell: dict[tuple[int, int, int], Series] = {}
    for key, dated in found.items():
        by_year = dict(dated)
        if len(by_year) < len(dated) or len({cell.unit for _, cell in dated}) > 1:
            continue
        first = dated[0][1]
        is_total = bool(_TOTAL.match(tables.grids[key[0]].rows[first.row].text))
        series = Series(key, by_year, is_total)
        for _, cell in dated:
            by_cell[cell.table_index, cell.row, cell.column] = series
    return by_cell


def period_fit(reading: Reading, tables: Tables, cell: Cell) -> float:
    """How well a cell's period is the one of the masked figure, 0 to 1."""
    grid = tables.grids[cell.table_index]
    years = grid.years_of(cell)
    when = reading.when
    heads = f"{grid.columns[cell.column].text} {grid.rows[cell.row].text}"
    is_part = bool(_PART_OF_YEAR.search(heads))
    if is_part != when.is_part_of_year and (is_part or years):
        return 0.4 * _year_fit(when, grid, years, tables.latest[cell.table_index])
    return _year_fit(when, grid, years, tables.latest[cell.table_index])


def _year_fit(when: When, grid: Grid, years: Sequence[int], latest: int) -> float:
    if not years:
        around = grid.years
        if not when.fits or not around:
            return 0.75
        return max(when.fits.get(year, when.others) for year in around) * 0.9
    year = years[0]
    if when.fits:
        return when.fits.get(year, when.others)
    wanted = latest - (1 if when.is_prior else 0)
    return 0.85 if year == wanted else 0.4


def equals(cell: Cell, figure: Figure) -> bool:
    """Whether a cell states the figure, at the coarser of the two precisions, signs aside."""
    if not is_compatible(cell, figure.unit):
        return False
    value = figure.value / 100 if figure.unit == "bps" else figure.value
    decimals = figure.decimals + 2 if figure.unit == "bps" else figure.decimals
    coarser = min(decimals, cell.decimals)
    return (
        abs(abs(cell.value) - abs(value)) * 2 <= Decimal(1).scaleb(-coarser)
        if cell.decimals != decimals
        else (abs(cell.value) == abs(value))
    )


def is_compatible(cell: Cell, unit: str) -> bool:
    """Whether a figure of a unit can stand in a cell of its."""
    if unit in ("percent", "bps"):
        return cell.unit == "percent"
    if unit == "per_share":
        return cell.unit == "rate" or (cell.unit == "money" and cell.decimals >= 2)
    if unit == "money":
        return cell.unit in ("money", "rate", "amount")
    return cell.unit == "amount"


def anchors(reading: Reading, tables: Tables) -> dict[tuple[int, int], dict[tuple[int, int], float]]:
    """The rows in which the passage's other figures stand: (table, row) -> (row, column) -> how surely, 0 to 1."""
    found: dict[tuple[int, int], dict[tuple[int, int], float]] = defaultdict(dict)
    said = [(figure, 1.0) for figure in reading.figures]
    for text in (reading.passage.before[-400:], reading.passage.after[:250]):
        said += [
            (figure, 0.35)
            for figure in find_figures(text)
            if figure.unit in ("money", "percent", "per_share")
        ]
    for figure, weight in said:
        if figure.unit == "count" and figure.decimals == 0 and abs(figure.value) < 100:
            continue
        hits = [cell for cell in tables.cells if equals(cell, figure)]
        rows = {(cell.table_index, cell.row) for cell in hits}
        for cell in hits:
            place = found[cell.table_index, cell.row]
            sure = weight / len(rows)
            place[cell.row, cell.column] = max(place.get((cell.row, cell.column), 0.0), sure)
    return found
