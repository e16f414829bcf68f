"""Evidence for what a passage may speak of: named numbers, weighed by fitted weights.

The weights stand in `weights.json`; `tests/bench/derivation_weights.py` fits them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from tasks.quantities.figures import Figure
from tasks.suites.faith.derivations.candidates import (
    Bools,
    Floats,
    Places,
    Pool,
    pool_of,
    related,
)
from tasks.suites.faith.derivations.expressions import Expression
from tasks.suites.faith.derivations.passage import Beside, Reading
from tasks.suites.faith.derivations.periods import When
from tasks.suites.faith.derivations.roles import Role
from tasks.suites.faith.derivations.tables import N_QUARTERS, Names, Period, Tables

_CHANGES = ("percent_change", "difference", "points", "change of sums")
# What is likelier, or less likely, for a level, a change or a share; no other pair matters.
_ASKED: dict[Role, tuple[str, ...]] = {
    "level": ("lookup", "share", "average"),
    "change": ("stated change", "share", "percent_change", "difference"),
    "share": ("lookup",),
}
_SMALL_COUNT = 100  # small counts stand everywhere, so that one stands in a row says nothing
_TINY = 0.02
_NEEDS = 0.15  # a share of the phrase that only two metrics together have

Features = dict[str, Floats]
Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What could stand in a figure's place: expressions, and nothing of the tables."""

    expressions: list[Expression]
    features: Features  # of each expression
    of_none: dict[str, float]  # features of no expression at all


@lru_cache(maxsize=1)
def weights() -> Weights:
    """Read the fitted weights: feature -> its weight."""
    text = (files(__package__) / "weights.json").read_text(encoding="utf-8")
    read: dict[str, float] = json.loads(text)
    return read


def gather(reading: Reading, tables: Tables, unit: str | None) -> Evidence:
    """Find what a passage may speak of, with the evidence for each.

    Args:
        unit: the figure's; if unknown, percent, bps, or None for any other.
    """
    names = tables.names(reading.terms, reading.phrase, is_tight=reading.is_tight)
    beside, near = _Beside(reading.beside, tables), _Beside(reading.near, tables)
    found: list[Expression] = []
    parts: list[Features] = []
    for pool in (pool_of(tables), related(tables, names.name, unit)):
        each = _Of(pool, tables, reading, unit, names, beside, near)
        at = np.flatnonzero(pool.fitting(unit) & (each.name > 0) & ~each.is_ruled_out)
        if at.size:
            found += [pool.expressions[int(place)] for place in at]
            parts.append({name: values[at] for name, values in each.features().items()})
    features = {
        name: np.concatenate([part[name] for part in parts]) for name in (parts[0] if parts else ())
    }
    of_none = {
        "none": 1.0,
        "none: alone in sentence": float(not beside.n),
        "none: supposed": float(reading.supposes),
    }
    return Evidence(found, features, of_none)


class _Beside:
    """Places in the tables of some of the passage's other figures, by cell."""

    def __init__(self, figures: Sequence[Beside], tables: Tables) -> None:
        found = [_standing(tables, said) for said in figures if _is_sought(said.figure)]
        self.n = len(found)  # figures that a table could state
        shares = found or [np.zeros(len(tables.cells))]
        self.cell: Floats = np.maximum.reduce(shares)
        self.column: Floats = np.maximum.reduce([_along(s, tables.column_of) for s in shares])
        self.row, self.table = (
            1 - np.multiply.reduce([1 - _along(share, lines) for share in shares])
            for lines in (tables.row_of, tables.table_of)
        )


def _is_sought(figure: Figure) -> bool:
    is_small = figure.unit == "count" and abs(figure.value) < _SMALL_COUNT
    return not is_small or figure.decimals < 0


@lru_cache(maxsize=64)
def _standing(tables: Tables, said: Beside) -> Floats:
    """Weigh for each cell that a figure is read or calculated from it; in all, 1 at most."""
    figure, pool, share = said.figure, pool_of(tables), np.zeros(len(tables.cells))
    at = pool.giving(figure)
    at = at[pool.fitting(figure.unit)[at]]
    if not len(at):
        return share
    first = pool.first[at]
    names = tables.names(said.terms, said.phrase, is_tight=said.is_tight)
    fits, misfits = period_fit(said.when, tables, first)
    is_change = np.isin(pool.group[at], ["stated change", *_CHANGES])
    fit = (names.name[first] + 0.05) * (fits + 0.1) * np.where(misfits, 0.4, 1)
    fit = fit * np.where(is_change == (said.role == "change"), 1, 0.3)
    sure = fit.sum() / (fit.sum() + 0.15 * math.sqrt(len(at)))
    for places in (first, pool.second[at]):
        np.add.at(share, places, fit / fit.sum() * sure / 2)
    return share


def _along(share: Floats, lines: Places) -> Floats:
    found: Floats = np.minimum(1, np.bincount(lines, share)[lines])
    return found


def period_fit(when: When, tables: Tables, cells: Places) -> tuple[Floats, Bools]:
    """Weigh how well cells' years fit a figure's, and mark those of a part of the year, or not."""
    fits = np.array([_year_fit(when, period) for period in tables.periods])
    misfits = np.array(
        [
            period.is_part_of_year != when.is_part_of_year
            and (period.is_part_of_year or bool(period.years))
            for period in tables.periods
        ]
    )
    at = tables.period_of[cells]
    return fits[at], misfits[at]


def _year_fit(when: When, period: Period) -> float:
    if not period.years:
        return 0.75
    if when.fits:
        return when.fits.get(period.years[0], when.others)
    return 0.85 if period.years[0] == period.latest else 0.4


class _Of:
    """The evidence for the expressions of a pool."""

    def __init__(
        self,
        pool: Pool,
        tables: Tables,
        reading: Reading,
        unit: str | None,
        names: Names,
        beside: _Beside,
        near: _Beside,
    ) -> None:
        self.pool, self.tables, self.reading, self.unit = pool, tables, reading, unit
        self.names, self.beside, self.near = names, beside, near
        # nothing else reads as many cells
        self.is_of_quarters = pool.n_cells >= N_QUARTERS
        self.is_sum = (pool.group == "sum") & ~self.is_of_quarters
        self.name = self._worse(names.name)
        value = np.array([float(cell.value) for cell in tables.cells])
        # the words mostly give a loss's size
        is_loss = (value[pool.first] < 0) & (value[pool.last] < 0)
        self.is_change = np.isin(pool.group, _CHANGES)
        is_against = self.is_change & (pool.value * reading.direction < 0) & ~is_loss
        is_total = np.isin(pool.cell_unit, ["money", "amount"])
        # what the passage states: no figure is hidden that it states twice
        is_stated = np.zeros(len(pool), dtype=bool)
        for said in (*reading.beside, *reading.near):
            if _kind(said.figure.unit) == _kind(unit):
                is_stated[pool.giving(said.figure)] = True
        # what the words rule out: the other direction, or a total for what is said per thing
        is_unfit = is_against | (is_total & reading.changes_rate)
        self.is_ruled_out = is_stated | is_unfit

    def _worse(self, values: Floats) -> Floats:
        """Take the first cell's, or the lower of two metrics'."""
        first, second = values[self.pool.first], values[self.pool.second]
        found: Floats = np.where(self.is_sum, np.minimum(first, second), first)
        return found

    def _gain(self) -> Floats:
        """Measure how much of the phrase only two metrics together have."""
        first, second = (
            np.minimum(1, self.names.phrase[at]) for at in (self.pool.first, self.pool.second)
        )
        return np.minimum(1, first + second) - np.maximum(first, second)

    def features(self) -> Features:
        """Compute the features of all expressions, by name."""
        found = {**self._of_names(), **self._of_period(), **self._of_operation(), **self._of_rest()}
        return {name: np.asarray(values, dtype=float) for name, values in found.items()}

    def _of_names(self) -> dict[str, Floats | Bools]:
        pool, first = self.pool, self.pool.first
        is_percent_of_whole = self.unit == "percent" and self.reading.says_whole
        return {
            "name, log": np.log(self.name + _TINY),
            "percentage of a said whole": (pool.group == "lookup") & is_percent_of_whole,
            "total": self.tables.is_total[first],
        }

    def _of_period(self) -> dict[str, Floats | Bools]:
        pool, when = self.pool, self.reading.when
        fits, misfits = period_fit(when, self.tables, pool.first)
        years = np.array([(p.years[:1] or (0,))[0] for p in self.tables.periods])
        of_cell = self.tables.period_of
        year, base = years[of_cell[pool.first]], years[of_cell[pool.last]]
        is_change = self.is_change & (base > 0) & (pool.first != pool.last)
        is_said = when.base is not None
        return {
            "period": np.log(fits + 0.05),
            "part of year, or not": misfits & ~self.is_of_quarters,
            "base not as said": is_change & is_said & (base != (when.base or 0)),
            "years skipped": np.where(is_change & (not is_said), np.clip(year - base - 1, 0, 3), 0),
        }

    def _of_operation(self) -> dict[str, Floats | Bools]:
        pool, reading = self.pool, self.reading
        is_stated = pool.group == "stated change"
        along = pool.value * reading.direction
        in_points = pool.group == "points"
        return {
            **{
                f"{role}: {group}": (pool.group == group) & (reading.role == role)
                for role, groups in _ASKED.items()
                for group in groups
            },
            "stated, against direction": is_stated & (along < 0),
            "along direction": self.is_change & (along > 0),
            "points, said": in_points & reading.points,
            "points, unsaid": in_points & (not reading.points) & (self.unit != "bps"),
            "percent of percent": (pool.group == "percent_change") & (pool.cell_unit == "percent"),
            "sum, phrase needs all": self.is_sum & (self._gain() > _NEEDS) & reading.sums,
            "sum of quarters": self.is_of_quarters,
            "share, whole said": (pool.group == "share") & reading.says_whole,
        }

    def _of_rest(self) -> dict[str, Floats | Bools]:
        pool, reading, first = self.pool, self.reading, self.pool.first
        beside, near = self.beside, self.near
        is_rate = pool.cell_unit == "rate"
        may_be_rate = self.unit not in ("percent", "bps")
        return {
            "rate, unsaid": is_rate & (not reading.per_thing) & (self.unit != "per_share"),
            "no rate, but said": ~is_rate & reading.per_thing & may_be_rate,
            "bare number for money": (pool.cell_unit == "amount") & (self.unit == "money"),
            "row of sentence": self._worse(beside.row),
            "column of sentence": beside.column[first],
            "cell of sentence": np.where(first == pool.second, 0, beside.cell[first]),
            "table of sentence": beside.table[first],
            "column of neighbour": near.column[first],
            "table of neighbour": near.table[first],
        }


def _kind(unit: str | None) -> str | None:
    return unit if unit in ("percent", "bps") else None
