"""All that tables can give: cells, changes, shares and sums, as arrays by place."""

from __future__ import annotations

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
)
from tasks.suites.faith.derivations.tables import Tables
from tasks.suites.shared.tables.cells import Cell

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Places = NDArray[np.int64]

# Operations that the words speak of alike.
GROUPS = {
    "point_difference": "points",
    "basis_points": "points",
    "percent_change_of_sums": "change of sums",
    "difference_of_sums": "change of sums",
}
_LARGEST_SHARE = 4  # a part of more than four times its whole is none
# So many of the best named rows of a table are set against each other or added up.
_N_RELATED, _N_LOOKED_AT, _LEAST_NAME = 8, 400, 0.05


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
    if found.operation == "lookup" and tables.is_change(found.cells[0]):
        return "stated change"
    return GROUPS.get(found.operation, found.operation)


@lru_cache(maxsize=4)
def pool_of(tables: Tables) -> Pool:
    """Collect what tables give whatever the passage says, once per context."""
    return Pool(tables, list(_of_tables(tables)))


def _of_tables(tables: Tables) -> Iterator[Expression]:
    for cell in tables.cells:
        yield lookup(cell)
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
    """Relate the metrics that a passage names best: shares and sums.

    Args:
        name: how well the passage names each cell.
    """
    rows: dict[int, dict[int, None]] = {}  # by table
    for place in np.argsort(-name, kind="stable")[:_N_LOOKED_AT]:
        cell = tables.cells[place]
        is_amount = cell.unit in ("money", "amount") and not tables.is_change(cell)
        if not is_amount or name[place] <= _LEAST_NAME:
            continue
        if len(of_table := rows.setdefault(cell.table_index, {})) < _N_RELATED:
            of_table[cell.row] = None
    return Pool(
        tables,
        [
            found
            for index, of_table in rows.items()
            for found in _of_columns(tables, index, list(of_table), unit)
        ],
    )


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
                    yield from expressions(("sum",), pair, 2)
