"""Evidence that a passage names a cell, by words, period and figures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext

from tasks.quantities.figures import Figure
from tasks.suites.faith.derivations.passage import Reading
from tasks.suites.faith.derivations.periods import PART_OF_YEAR, When
from tasks.suites.faith.derivations.tables import Tables
from tasks.suites.shared.tables.cells import Cell, Grid

# Weight of a figure in a neighbouring sentence, relative to 1 in the sentence itself.
_NEIGHBOUR = 0.35
# Small counts stand everywhere, so that one stands in a row says nothing.
_SMALL_COUNT = 100
# Weight of a cell for part of a year if the figure is for a whole one, and the reverse.
PART_MISFIT = 0.4
_PRECISION = 80  # digits: enough to round any value of cells to any stated precision

Row = tuple[int, int]  # table, row


@dataclass(frozen=True, slots=True)
class Named:
    """A cell, how well the passage names it (0 to 1), and by which words."""

    cell: Cell
    name: float
    words: tuple[str, ...]


@dataclass(slots=True)
class Anchors:
    """Where the passage's other figures stand in the tables."""

    sure: dict[Row, float]  # how surely the passage speaks of a row, 0 to 1: by the figure's rarity
    wrong: set[Row]  # rows with a figure of the sentence, but of another period than it says


def named_cells(reading: Reading, tables: Tables, anchors: Anchors) -> list[Named]:
    """Find the cells that a passage names, the best first."""
    rated = list(tables.named(reading.terms, reading.phrase, reading.is_tight))
    if not rated:
        return []
    most = max(mass * said for _, mass, said, _ in rated)
    named = []
    for cell, mass, said, words in rated:
        name = said * math.sqrt(mass * said / most) * mass / (mass + 1.0) if most else 0.0
        row = (cell.table_index, cell.row)
        name += (1 - name) * 0.6 * anchors.sure.get(row, 0.0) * min(1.0, 2 * said)
        named.append(Named(cell, name * (0.5 if row in anchors.wrong else 1.0), words))
    named.sort(key=lambda found: -found.name)
    return named


def period_fit(when: When, tables: Tables, cell: Cell) -> float:
    """Weigh how well a cell's period fits a figure's, from 0 to 1."""
    grid = tables.grids[cell.table_index]
    years = grid.years_of(cell)
    is_part = bool(
        PART_OF_YEAR.search(f"{grid.columns[cell.column].text} {grid.rows[cell.row].text}")
    )
    fit = _year_fit(when, grid, years, tables.latest[cell.table_index])
    return PART_MISFIT * fit if is_part != when.is_part_of_year and (is_part or years) else fit


def _year_fit(when: When, grid: Grid, years: Sequence[int], latest: int) -> float:
    if not years:
        if not when.fits or not grid.years:
            return 0.75
        return max(when.fits.get(year, when.others) for year in grid.years) * 0.9
    if when.fits:
        return when.fits.get(years[0], when.others)
    return 0.85 if years[0] == latest - (1 if when.is_prior else 0) else 0.4


def is_compatible(cell: Cell, unit: str) -> bool:
    """Check whether a figure of a unit can stand in the cell."""
    if unit in ("percent", "bps"):
        return cell.unit == "percent"
    if unit == "per_share":
        return cell.unit == "rate" or (cell.unit == "money" and cell.decimals >= 2)
    if unit == "money":
        return cell.unit in ("money", "rate", "amount")
    return cell.unit == "amount"


def find_anchors(reading: Reading, tables: Tables) -> Anchors:
    """Find where the passage's other figures stand, as cells or as changes."""
    found = Anchors({}, set())
    agreeing: set[Row] = set()
    for beside in reading.beside:
        cells = _stating(tables, beside.figure)
        rows = {(cell.table_index, cell.row) for cell in cells}
        for cell in cells:
            row = (cell.table_index, cell.row)
            if tables.is_change(cell) == (beside.role == "change"):
                fit = period_fit(beside.when, tables, cell)
                if beside.when.is_named and fit < 0.5:
                    found.wrong.add(row)
                    continue
                agreeing.add(row)
            if not beside.is_mate:
                _add(found.sure, row, 1 / len(rows))
        if beside.role == "change" and not beside.is_mate:
            changed = set(_changing(tables, beside.figure))
            agreeing |= changed
            for row in changed:
                _add(found.sure, row, 1 / len(changed))
    for figure in reading.around:
        rows = {(cell.table_index, cell.row) for cell in _stating(tables, figure)}
        for row in rows:
            _add(found.sure, row, _NEIGHBOUR / len(rows))
    found.wrong -= agreeing
    return found


def _add(sure: dict[Row, float], row: Row, by: float) -> None:
    sure[row] = min(1.0, sure.get(row, 0.0) + by)


def _stating(tables: Tables, figure: Figure) -> list[Cell]:
    """Find the cells that state a figure, signs aside."""
    if figure.unit == "count" and figure.decimals >= 0 and abs(figure.value) < _SMALL_COUNT:
        return []
    value, decimals = _in_percent(figure)
    step = Decimal(1).scaleb(-decimals)
    near = tables.stating(abs(value), step)
    return [
        cell
        for cell in near
        if is_compatible(cell, figure.unit) and rounds_to(cell.value, value, decimals)
    ]


def _changing(tables: Tables, figure: Figure) -> Iterator[Row]:
    """Find the rows that change by a figure between two periods."""
    for row, percent, difference in tables.yearly_changes:
        change = {"percent": percent, "money": difference}.get(figure.unit)
        if change is not None and rounds_to(change, figure.value, figure.decimals):
            yield row


def _in_percent(figure: Figure) -> tuple[Decimal, int]:
    if figure.unit == "bps":
        return figure.value / 100, figure.decimals + 2
    return figure.value, figure.decimals


def rounds_to(value: Decimal, to: Decimal, decimals: int) -> bool:
    """Check whether a value rounds to another at so many decimals, signs aside."""
    with localcontext() as context:
        context.prec = _PRECISION
        return abs(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP) == abs(to)
