"""All that tables can give: cells, changes, shares and sums, as arrays by place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from tasks.quantities.figures import Figure
from tasks.suites.faith.derivations.expressions import (
    Expression,
    expressions,
    lookup,
    rounds_to,
    with_figure,
)
from tasks.suites.faith.derivations.passage import Beside, Reading
from tasks.suites.faith.derivations.tables import Series, Tables, totals_of
from tasks.suites.shared.tables.cells import Cell

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Places = NDArray[np.int64]

# Operations that the words speak of alike.
GROUPS = {
    "point_difference": "points",
    "basis_points": "points",
    "share_point_difference": "change of shares",
    "share_basis_points": "change of shares",
    "percent_change_of_sums": "change of sums",
    "difference_of_sums": "change of sums",
}
_LARGEST_SHARE = 4  # a part of more than four times its whole is none
# So many of the best named rows of a table are set against each other or added up.
_N_RELATED, _N_ADDED, _N_LOOKED_AT, _LEAST_NAME = 8, 6, 400, 0.05
# A figure of the sentence in words or brackets is left out: few are, and no check reads them alike.
_PLAIN = re.compile(
    r"\$?\d[\d,]*(?:\.\d+)?(?:[\s-]?(?:%|percent|thousand|million|billion))?", re.IGNORECASE
)
# So many of the best named cells are set against the sentence's figures.
_N_WITH_SENTENCE = 40


class Pool:
    """Expressions over the cells of tables, and what is known of them without a passage."""

    def __init__(self, tables: Tables, found: Sequence[Expression]) -> None:
        self.expressions = found
        self.value: Floats = np.array([float(each.value) for each in found], dtype=float)
        self.group = np.array([_group_of(tables, each) for each in found], dtype=object)
        self.unit = np.array([each.unit for each in found], dtype=object)
        self.first: Places = np.array([tables.place[e.cells[0]] for e in found], dtype=np.int64)
        self.second: Places = np.array(
            [tables.place[e.cells[min(1, len(e.cells) - 1)]] for e in found], dtype=np.int64
        )
        self.last: Places = np.array([tables.place[e.cells[-1]] for e in found], dtype=np.int64)
        self.n_cells: Places = np.array([len(each.cells) for each in found], dtype=np.int64)
        self.cell_unit = np.array([each.cells[0].unit for each in found], dtype=object)
        self.decimals = np.array([min(c.decimals for c in e.cells) for e in found], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.expressions)

    @cached_property
    def _order(self) -> tuple[Places, Floats]:
        order = np.argsort(abs(self.value), kind="stable")
        return order, abs(self.value)[order]

    def giving(self, figure: Figure) -> Places:
        """Find the places of what rounds to a figure, signs aside, whatever its unit."""
        order, sizes = self._order
        size, step = abs(float(figure.value)), 10.0**-figure.decimals
        first, last = np.searchsorted(sizes, [size - step, size + step])
        near = order[first : last + 1]
        return np.array(
            [
                place
                for place in near
                if rounds_to(self.expressions[place].value, figure.value, figure.decimals)
            ],
            dtype=np.int64,
        )

    def fitting(self, unit: str | None) -> Bools:
        """Mark what a figure of a unit can be; None is neither percent nor basis points."""
        is_ratio = np.isin(self.unit, ["percent", "bps"])
        if unit in ("percent", "bps"):
            return np.asarray(self.unit == unit)
        if unit == "per_share":
            is_exact_money = (self.unit == "money") & (self.decimals >= 2)
            return np.asarray((self.unit == "rate") | is_exact_money)
        return ~is_ratio if unit in (None, "money") else np.asarray(self.unit == "amount")


def _group_of(tables: Tables, found: Expression) -> str:
    if found.stated:
        kinds = {"share": "sentence share", "percent_of": "sentence percent"}
        return kinds.get(found.operation, "sentence change")
    if found.operation == "lookup" and tables.is_change(found.cells[0]):
        return "stated change"
    if found.operation == "difference" and found.scenario == "bivariate":
        return "difference of two"
    return GROUPS.get(found.operation, found.operation)


@lru_cache(maxsize=4)
def pool_of(tables: Tables) -> Pool:
    """Collect what tables give whatever the passage says, once per context."""
    return Pool(tables, list(_of_tables(tables)))


def _of_tables(tables: Tables) -> Iterator[Expression]:
    for cell in tables.cells:
        yield lookup(cell)
        if cell.unit in ("money", "amount") and not tables.is_change(cell):
            for whole in totals_of(tables, cell):
                yield from _share(cell, whole)
    for series in tables.all_series:
        for earlier, later in combinations(sorted(series), 2):
            pair = series[later], series[earlier]
            for change in _changes(*pair):
                if not _is_stated(tables, change):
                    yield change
            if later - earlier == 1:
                yield from expressions(("average",), pair, 1)
    for quarters in tables.quarters.values():
        for year, cells in quarters.items():
            yield from expressions(("sum",), cells, 1)
            if before := quarters.get(year - 1):
                names = ("percent_change_of_sums", "difference_of_sums")
                yield from expressions(names, [*cells, *before], 1)


def _is_stated(tables: Tables, change: Expression) -> bool:
    """Check whether the row states a change itself."""
    later = change.cells[0]
    return any(
        tables.is_change(cell)
        and cell.unit == change.unit
        and rounds_to(change.value, cell.value, cell.decimals)
        for cell in tables.in_row(later)
    )


def _changes(new: Cell, old: Cell) -> Iterator[Expression]:
    names = ["point_difference", "basis_points"] if new.unit == "percent" else ["difference"]
    if (new.value < 0) == (old.value < 0):  # a percentage change across zero means nothing
        names.append("percent_change")
    yield from expressions(names, (new, old), 1)


def _share(part: Cell, whole: Cell) -> Iterator[Expression]:
    if part.unit == whole.unit and abs(part.value) <= abs(whole.value) * _LARGEST_SHARE:
        yield from expressions(("share",), (part, whole), 2)


def related(tables: Tables, name: Floats, unit: str | None) -> Pool:
    """Relate the metrics that a passage names best: shares, sums and their changes.

    Args:
        name: how well the passage names each cell.
    """
    rows: dict[int, dict[int, None]] = {}  # by table
    series: dict[int, dict[int, Series]] = {}  # the same, along rows or columns
    for place in np.argsort(-name, kind="stable")[:_N_LOOKED_AT]:
        cell = tables.cells[place]
        is_amount = cell.unit in ("money", "amount") and not tables.is_change(cell)
        if not is_amount or name[place] <= _LEAST_NAME:
            continue
        if len(of_table := rows.setdefault(cell.table_index, {})) < _N_RELATED:
            of_table[cell.row] = None
        if belongs := tables.series_of(cell):
            metrics = series.setdefault(cell.table_index, {})
            if len(metrics) < _N_RELATED:
                metrics[id(belongs[0])] = belongs[0]
    found: list[Expression] = []
    for index, of_table in rows.items():
        found += _of_columns(tables, index, list(of_table), unit)
        found += _of_series(list(series.get(index, {}).values()), unit)
    return Pool(tables, found)


def with_sentence(tables: Tables, name: Floats, reading: Reading, unit: str | None) -> Pool:
    """Relate figures of the sentence to the cells that it names best.

    They are a part of a cell, a percentage of it, and the change from it, if the words ask for it.

    Args:
        name: how well the passage names each cell.
    """
    places = [
        place
        for place in np.argsort(-name, kind="stable")[:_N_LOOKED_AT]
        if name[place] > _LEAST_NAME
        and tables.cells[place].unit in ("money", "amount")
        and not tables.is_change(tables.cells[place])
    ][:_N_WITH_SENTENCE]
    return Pool(
        tables,
        [
            found
            for said in reading.beside
            if _PLAIN.fullmatch(said.figure.text)
            for place in places
            for operation in _operations_with(said, reading, unit)
            if _is_alike(said.figure, tables.cells[place])
            and (operation in ("share", "percent_of") or _is_year_before(tables, place, said))
            for found in with_figure(operation, said.figure, tables.cells[place])
            if found.operation != "share" or found.value <= 100 * _LARGEST_SHARE
        ],
    )


def _operations_with(said: Beside, reading: Reading, unit: str | None) -> Iterator[str]:
    """Choose what a sentence's figure and a cell are asked to give."""
    is_percent, has_percent = unit == "percent", said.figure.unit == "percent"
    if has_percent and not is_percent and (reading.supposes or said.role == "share"):
        yield "percent_of"
    if has_percent or unit == "bps":
        return
    if is_percent and said.is_same and reading.role == "share":
        yield "share"
    if reading.role == "change" and said.role == "level" and said.when.best == reading.when.best:
        yield "percent_change" if is_percent else "difference"


def _is_alike(figure: Figure, cell: Cell) -> bool:
    """Check whether a figure and a cell can be of one unit, or one is a percentage."""
    units = {"percent": ("money", "amount"), "money": ("money", "amount"), "count": ("amount",)}
    return cell.unit in units.get(figure.unit, ())


def _is_year_before(tables: Tables, place: int, said: Beside) -> bool:
    years = tables.periods[tables.period_of[place]].years
    return bool(years) and said.when.best == years[0] + 1


def _of_columns(
    tables: Tables, index: int, rows: Sequence[int], unit: str | None
) -> Iterator[Expression]:
    grid = tables.grids[index]
    for column in range(len(grid.columns)):
        cells = [grid.cells[row, column] for row in rows if (row, column) in grid.cells]
        cells = [cell for cell in cells if cell.unit in ("money", "amount")]
        if unit == "percent":
            for part, whole in permutations(cells, 2):
                yield from _share(part, whole)
        elif unit != "bps":
            for pair in combinations(cells, 2):
                if pair[0].unit == pair[1].unit:
                    yield from expressions(("difference", "sum"), pair, 2)
            for three in combinations(cells[:_N_ADDED], 3):
                if len({cell.unit for cell in three}) == 1:
                    yield from expressions(("sum",), three, 3)


def _of_series(series: Sequence[Series], unit: str | None) -> Iterator[Expression]:
    for a, b in combinations(series, 2):
        for earlier, later in combinations(sorted(set(a) & set(b)), 2):
            four = [a[later], b[later], a[earlier], b[earlier]]
            if len({cell.unit for cell in four}) > 1:
                continue
            if unit in ("percent", "bps"):
                names = ["share_point_difference" if unit == "percent" else "share_basis_points"]
                yield from expressions(names, four, 2)
                yield from expressions(names, [four[place] for place in (1, 0, 3, 2)], 2)
            if unit == "percent":
                yield from expressions(("percent_change_of_sums",), four, 2)
            elif unit != "bps":
                yield from expressions(("difference_of_sums",), four, 2)
