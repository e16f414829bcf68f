"""What tables can give: named cells, their changes and shares, with a plain score."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from itertools import permutations
from typing import Literal

from tasks.suites.faith.derivations.passage import QUARTER, CellReading, Role
from tasks.suites.faith.derivations.tables import ShownTables
from tasks.suites.shared.tables.cells import Cell

Scenario = Literal["direct lookup", "comparative", "bivariate"]  # multivariate needs a panel
Scores = Mapping[Cell, float]

# Operation -> its value, of two cells. A change names the later cell first.
_OF_TWO: Mapping[str, Callable[[Decimal, Decimal], Decimal]] = {
    "difference": lambda new, old: new - old,
    "percent_change": lambda new, old: 100 * (new - old) / abs(old),
    "point_difference": lambda new, old: new - old,
    "basis_points": lambda new, old: 100 * (new - old),
    "share": lambda part, whole: 100 * part / whole,
}
_CHANGES = frozenset(_OF_TWO) - {"share"}
OPERATIONS = frozenset({"lookup", *_OF_TWO})
_UNITS = {"percent_change": "percent", "share": "percent", "basis_points": "bps"}

_MOST_ROWS = 6  # the best named rows of a table, which shares are made of
# How well an operation fits a figure's role.
_FITS: Mapping[str, Mapping[Role, float]] = {
    "change": {"change": 1.0, "level": 0.3, "share": 0.3},
    "share": {"change": 0.2, "level": 0.5, "share": 1.0},
    "lookup": {"change": 0.4, "level": 1.0, "share": 0.8},
}
_YEARS_SKIPPED = 0.3  # a change over years of which the passage does not name the first
# The least share of a row's own words that the passage has, by rarity.
_LEAST_NAMED = 0.5
_LEAST_WEIGHT = 0.35  # of such a word
# How well a cell's period fits if it, or the passage, names no year.
_NO_YEAR, _OTHER_YEAR = 0.6, 0.15
_PRECISION = 80  # digits: enough to round any value of cells to any stated precision


@dataclass(frozen=True, slots=True)
class Expression:
    """An operation over cells, and how well a passage names it."""

    operation: str
    operands: tuple[Cell, ...]
    value: Decimal  # in ones of the unit; percent for shares and changes in percent
    unit: str  # of the value: that of its cells, percent or bps
    score: float

    @property
    def scenario(self) -> Scenario:
        """How the cells give the value, as FAITH classifies it."""
        if len(self.operands) == 1:
            return "direct lookup"
        return "comparative" if self.operation in _CHANGES else "bivariate"


def rounds_to(value: Decimal, to: Decimal, decimals: int) -> bool:
    """Check whether a value rounds to another at so many decimals, signs aside."""
    with localcontext() as context:
        context.prec = _PRECISION
        return abs(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP) == abs(to)


def list_expressions(
    reading: CellReading, tables: ShownTables, unit: str | None, *, is_in_points: bool
) -> Iterator[Expression]:
    """Yield the cells that a passage names, their changes and shares, if they fit a unit."""
    scores = _score_cells(reading, tables)
    for cell, score in scores.items():
        kind = "change" if tables.is_change(cell) else "lookup"
        yield from _apply("lookup", (cell,), score * _FITS[kind][reading.role], unit)
    yield from _changes(reading, tables, scores, unit, is_in_points=is_in_points)
    if unit == "percent":
        for cells in _named_columns(tables, scores):
            yield from _shares(cells, scores, reading, unit)


def _changes(
    reading: CellReading,
    tables: ShownTables,
    scores: Scores,
    unit: str | None,
    *,
    is_in_points: bool,
) -> Iterator[Expression]:
    """Yield the changes from one year to another, in the direction that the words say."""
    for new, old in tables.pairs:
        if new not in scores or old not in scores:
            continue
        score = (scores[new] + scores[old]) / 2 * _FITS["change"][reading.role]
        later, earlier = tables.year_of(new), tables.year_of(old)
        is_next = later is not None and earlier is not None and later - earlier == 1
        if not is_next and earlier not in reading.years:
            score *= _YEARS_SKIPPED
        if new.unit != "percent":
            names = ["difference"]
            if (new.value < 0) == (old.value < 0):  # across zero, a percentage means nothing
                names.append("percent_change")
        else:
            names = ["point_difference", "basis_points"] if is_in_points else ["basis_points"]
        is_loss = new.value < 0 and old.value < 0  # the words mostly give a loss's size
        for name in names:
            for expression in _apply(name, (new, old), score, unit):
                if is_loss or expression.value * reading.direction >= 0:
                    yield expression


def _named_columns(tables: ShownTables, scores: Scores) -> Iterator[list[Cell]]:
    """Yield the amounts of each column in the best named rows of its table."""
    rows: dict[int, set[int]] = defaultdict(set)
    columns: dict[tuple[int, int], list[Cell]] = defaultdict(list)
    for cell in sorted(scores, key=lambda cell: -scores[cell]):
        if cell.unit not in ("money", "amount") or tables.is_change(cell):
            continue
        of_table = rows[cell.table_index]
        if cell.row in of_table or len(of_table) < _MOST_ROWS:
            of_table.add(cell.row)
            columns[cell.table_index, cell.column].append(cell)
    yield from columns.values()


def _shares(
    cells: Sequence[Cell], scores: Scores, reading: CellReading, unit: str | None
) -> Iterator[Expression]:
    for part, whole in permutations(cells, 2):
        if part.unit == whole.unit and abs(part.value) <= abs(whole.value):
            score = min(scores[part], scores[whole]) * _FITS["share"][reading.role]
            yield from _apply("share", (part, whole), score, unit)


def _apply(
    operation: str, cells: Sequence[Cell], score: float, unit: str | None
) -> Iterator[Expression]:
    """Yield an operation over cells, if a figure of the unit can be its value."""
    result_unit = _UNITS.get(operation, cells[0].unit)
    if not _fits_unit(unit, result_unit, min(cell.decimals for cell in cells)):
        return
    try:
        value = evaluate(operation, [cell.value for cell in cells])
    except ArithmeticError:
        return
    yield Expression(operation, tuple(cells), value, result_unit, score)


def _fits_unit(unit: str | None, result_unit: str, decimals: int) -> bool:
    """Check whether a value can be a figure of a unit; None is neither percent nor bps."""
    if is_ratio(unit):
        return result_unit == unit
    if unit == "per_share":
        return result_unit == "rate" or (result_unit == "money" and decimals >= 2)
    return not is_ratio(result_unit) if unit in (None, "money") else result_unit == "amount"


def is_ratio(unit: str | None) -> bool:
    """Check whether a unit is that of a ratio."""
    return unit in ("percent", "bps")


def evaluate(operation: str, values: Sequence[Decimal]) -> Decimal:
    """Compute an operation's value; shares and changes in percent are in percent.

    Raises:
        ArithmeticError: it divides by zero, or a quotient is too large.
        KeyError: there is no such operation of so many values.
    """
    if operation == "lookup" and len(values) == 1:
        return values[0]
    with localcontext() as context:
        context.prec = _PRECISION
        return _OF_TWO[operation](*values)


def _score_cells(reading: CellReading, tables: ShownTables) -> dict[Cell, float]:
    """Score the cells that the passage names, by name and period."""
    weights = {term: weight * tables.rarity(term) for term, weight in reading.weights.items()}
    size = math.sqrt(sum(weight * weight for weight in weights.values()))
    scores = {}
    for cell, name in tables.name.items():
        head = tables.grids[cell.table_index].columns[cell.column].text
        is_quarters = QUARTER.search(head) and not reading.says_quarter
        is_unfit = cell.unit == "rate" and not reading.says_per
        named = sum(
            weight
            for term, weight in name.own.items()
            if reading.weights.get(term, 0.0) >= _LEAST_WEIGHT
        )
        is_named = name.own and named >= _LEAST_NAMED * sum(name.own.values())
        if is_quarters or is_unfit or not is_named:
            continue
        product = sum(weight * weights.get(term, 0.0) for term, weight in name.full.items())
        scores[cell] = product / (size * name.size) * _fit_period(reading, tables, cell)
    return scores


def _fit_period(reading: CellReading, tables: ShownTables, cell: Cell) -> float:
    year = tables.year_of(cell)
    if year is None:
        return _NO_YEAR
    return reading.years.get(year, _OTHER_YEAR) if reading.years else 1.0
