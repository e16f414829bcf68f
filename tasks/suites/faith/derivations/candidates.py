"""Candidate expressions over the cells that a passage names, each with its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations, product

from tasks.quantities.figures import Figure
from tasks.suites.faith.derivations.evidence import (
    PART_MISFIT,
    Anchors,
    Named,
    find_anchors,
    is_compatible,
    named_cells,
    period_fit,
    rounds_to,
)
from tasks.suites.faith.derivations.expressions import (
    Expression,
    averages,
    changes,
    changes_of_quarters,
    changes_of_shares,
    changes_of_sum,
    expressions,
    lookup,
    of_pair,
    shares,
    sums,
)
from tasks.suites.faith.derivations.pairs import Pair
from tasks.suites.faith.derivations.passage import Reading
from tasks.suites.faith.derivations.tables import Series, Tables, totals_of
from tasks.suites.shared.tables.cells import Cell

# Weights of an amount if the words say that it is per thing, and of a rate if they do not.
_OTHER_RATE = 0.3
# This many of the best named cells are looked up and made expressions of.
_N_LOOKUPS, _N_CHANGES, _N_SHARES = 400, 120, 60
_N_SUMMED = 4  # of one column
_N_PAIRED = 30  # for each of two things
# Weight of a pair of things, and how well each must be named.
_PAIRED, _LEAST_OF_PAIR = 0.9, 0.4
_OF_QUARTERS = 0.85  # a year by its quarters, since the tables may state the year itself
_PART_OF_SUM = 0.5  # one of the things that the words add up
_OTHER_WHOLE = 0.5  # a whole that the words do not name, although they name one
# Weight of an actual figure or change if the sentence says what would be.
_SUPPOSED = 0.4
# Weight of a value that another figure of the sentence states.
TAKEN = 0.3


@dataclass(frozen=True, slots=True)
class Candidate:
    """An expression, its evidence, and the words that name its cells."""

    expression: Expression
    evidence: float  # how far the passage speaks of it, 0 to 1
    words: tuple[str, ...]
    is_stated: bool  # by another figure of the sentence, which lowers its evidence


def gives(expression: Expression, truth: Figure) -> bool:
    """Check whether an expression's value rounds to the figure, signs aside."""
    return rounds_to(expression.value, truth.value, truth.decimals)


def _kind_of(unit: str | None) -> str:
    """Name the kind of a unit in the prompt: percent, bps or neither."""
    return unit if unit in ("percent", "bps") else "neither"


def candidates(reading: Reading, tables: Tables, unit: str | None) -> list[Candidate]:
    """Find what a passage may speak of, the most likely first.

    Args:
        unit: the figure's; if unknown, percent, bps, or None for any other.
    """
    search = _Search(reading, tables, unit)
    best: dict[tuple[str, tuple[Cell, ...]], Candidate] = {}
    for candidate in search.all():
        key = (candidate.expression.operation, candidate.expression.cells)
        if key not in best or candidate.evidence > best[key].evidence:
            best[key] = candidate
    return sorted(_as_stated(best.values(), tables), key=lambda found: -found.evidence)


def _as_stated(found: Iterable[Candidate], tables: Tables) -> Iterator[Candidate]:
    """Drop computed changes that their row states itself."""
    stated: dict[tuple[int, int], list[Candidate]] = {}
    others = []
    for candidate in found:
        cell = candidate.expression.cells[0]
        if candidate.expression.operation == "lookup" and tables.is_change(cell):
            stated.setdefault((cell.table_index, cell.row), []).append(candidate)
        else:
            others.append(candidate)
    for candidate in others:
        change, cell = candidate.expression, candidate.expression.cells[0]
        row = stated.get((cell.table_index, cell.row), [])
        if change.scenario != "comparative" or cell.row != change.cells[-1].row:
            row = []
        for place, said in enumerate(row):
            own = said.expression.cells[0]
            if own.unit == change.unit and rounds_to(change.value, abs(own.value), own.decimals):
                row[place] = replace(said, evidence=max(said.evidence, candidate.evidence))
                break
        else:
            yield candidate
    for row in stated.values():
        yield from row


class _Search:
    """The search for all that a passage may speak of, with its evidence."""

    def __init__(self, reading: Reading, tables: Tables, unit: str | None) -> None:
        self.reading = reading
        self.tables = tables
        self.unit = unit
        # figures of the same kind in the sentence: size, and the worth of the last digit
        self.stated = [
            (beside.figure, abs(beside.figure.value), Decimal(1).scaleb(-beside.figure.decimals))
            for beside in reading.beside
            if _kind_of(beside.figure.unit) == _kind_of(unit)
        ]
        self.anchors = find_anchors(reading, tables)
        self.named = named_cells(reading, tables, self.anchors)

    def all(self) -> Iterator[Candidate]:
        """Yield all candidates with any evidence."""
        return (candidate for candidate in self._each() if candidate.evidence)

    def _each(self) -> Iterator[Candidate]:
        reading, is_change = self.reading, self.reading.role == "change"
        yield from self._lookups()
        yield from self._changes()
        if self.unit == "percent":
            yield from self._shares()
        elif reading.sums and not is_change:
            yield from self._sums()
        if reading.added and is_change:
            yield from self._changes_of_added(reading.added)
        elif reading.added:
            yield from self._added(reading.added)
        if not reading.when.is_part_of_year:
            yield from self._years_of_quarters()
        if reading.pair:
            yield from self._pairs(reading.pair)
        if reading.averages:
            yield from self._averages()
        if reading.sums and is_change:
            yield from self._changes_of_sums()

    def _candidate(self, found: Expression, named: Named, kind: float) -> Candidate:
        fit = period_fit(self.reading.when, self.tables, found.cells[0])
        if self.reading.supposes:
            kind *= _SUPPOSED
        if self.reading.changes_rate and found.cells[0].unit in ("money", "amount"):
            kind *= _OTHER_RATE
        is_stated = self._is_stated(found)
        return Candidate(
            found,
            named.name * fit * kind * (TAKEN if is_stated else 1.0),
            named.words,
            is_stated,
        )

    def _is_stated(self, found: Expression) -> bool:
        """Check whether another figure of the sentence states the value already."""
        size = abs(found.value)
        return any(
            abs(size - stated) <= step and gives(found, figure)
            for figure, stated, step in self.stated
        )

    def _is_wanted(self, found: Expression) -> bool:
        """Check whether an expression's unit can be the figure's."""
        return _kind_of(found.unit) == _kind_of(self.unit)

    def _is_change(self, found: Expression) -> bool:
        """Check whether an expression's unit and direction can be those of the figure, a change."""
        return self._is_wanted(found) and _goes(found.value, self.reading.direction)

    def _may_be(self, cell: Cell) -> bool:
        """Check whether the figure can stand in a cell, or be a sum of such cells."""
        return _kind_of(cell.unit) == _kind_of(self.unit) and (
            self.unit is None or is_compatible(cell, self.unit)
        )

    def _lookups(self) -> Iterator[Candidate]:
        for named in self.named[:_N_LOOKUPS]:
            cell = named.cell
            if not self._may_be(cell):
                continue
            if self.unit is None and self.reading.per_thing and cell.unit == "amount":
                continue  # money per thing is no count
            kind = self._kind_of_lookup(cell)
            if self.unit is None and (cell.unit == "rate") != self.reading.per_thing:
                kind *= _OTHER_RATE
            if self._is_of_other_whole(named):
                kind *= _OTHER_WHOLE
            if self._is_part_of_sum(named):
                kind *= _PART_OF_SUM
            yield self._candidate(lookup(cell), named, kind)

    def _is_of_other_whole(self, named: Named) -> bool:
        """Check whether a percentage belongs to another whole than the sentence's."""
        pair = self.reading.pair
        if self.unit != "percent" or pair is None or not pair.is_share:
            return False
        telling = pair.other - pair.one
        return bool(telling) and not telling & set(named.words)

    def _is_part_of_sum(self, named: Named) -> bool:
        """Check whether a cell's name has only one of the sentence's addends."""
        return sum(bool(terms & set(named.words)) for terms in self.reading.added) == 1

    def _kind_of_lookup(self, cell: Cell) -> float:
        """Weigh how well a cell as it stands fits the sentence."""
        is_change = self.tables.is_change(cell)
        if self.reading.role == "change":
            if not is_change:
                return 0.4
            return 1.0 if _goes(cell.value, self.reading.direction) else 0.5
        return 0.35 if is_change else 1.0

    def _changes(self) -> Iterator[Candidate]:
        for named in self.named[:_N_CHANGES]:
            if belongs := self.tables.series_of(named.cell):
                for found in changes(*belongs, self.reading.when.base):
                    if self._is_wanted(found):
                        yield self._candidate(found, named, self._kind_of_change(found))

    def _kind_of_change(self, found: Expression) -> float:
        kind = 0.95 if self.reading.role == "change" else 0.25
        if self.reading.joint:
            kind *= 0.5
        in_points = self.reading.points or self.unit == "bps"
        if found.operation not in ("point_difference", "basis_points"):
            kind *= 0.2 if in_points else 0.5 if found.cells[0].unit == "percent" else 1.0
        new, old = found.cells[0].value, found.cells[1].value
        # The words mostly give a loss's size.
        agrees = (new < 0 and old < 0) or _goes(found.value, self.reading.direction)
        return kind if agrees else 0.0

    def _shares(self) -> Iterator[Candidate]:
        reading = self.reading
        if reading.role == "change":
            return
        kind = 0.95 if reading.role == "share" else 0.45
        wholes = (
            {named.cell for named in self._named_by(reading.pair.other)} if reading.pair else set()
        )
        for named in self.named[:_N_SHARES]:
            cell = named.cell
            if cell.unit in ("money", "amount") and not self.tables.is_change(cell):
                for found in shares(cell, totals_of(self.tables, cell)):
                    is_other = bool(wholes) and found.cells[1] not in wholes
                    yield self._candidate(found, named, kind * (_OTHER_WHOLE if is_other else 1.0))

    def _pairs(self, pair: Pair) -> Iterator[Candidate]:
        """Relate two metrics of one period, each named by its own words."""
        ones, others = self._named_by(pair.one), self._named_by(pair.other)
        for one, other in product(ones, others):
            a, b = one.cell, other.cell
            if (a.table_index, a.column) == (b.table_index, b.column):
                both = Named(a, min(one.name, other.name), (*one.words, *other.words))
                for found in self._of_pair(a, b, pair.is_share):
                    if self._is_wanted(found):
                        yield self._candidate(found, both, _PAIRED)

    def _added(self, things: Sequence[frozenset[str]]) -> Iterator[Candidate]:
        """Sum things that have words of their own, by column."""
        columns: list[dict[tuple[int, int], Named]] = []
        for terms in things:
            best: dict[tuple[int, int], Named] = {}
            for named in self._named_by(terms):
                best.setdefault((named.cell.table_index, named.cell.column), named)
            columns.append(best)
        for column in set.intersection(*(set(best) for best in columns)):
            parts = [best[column] for best in columns]
            # `research and development` is one thing.
            cells = list(dict.fromkeys(part.cell for part in parts))
            if len(cells) > 1:
                for found in expressions(("sum",), cells, len(cells)):
                    yield self._candidate(found, _together(parts), _PAIRED)

    def _changes_of_added(self, things: Sequence[frozenset[str]]) -> Iterator[Candidate]:
        """Compute how sums of separately named things changed, by table."""
        tables: list[dict[int, tuple[Named, Series]]] = []
        for terms in things:
            best: dict[int, tuple[Named, Series]] = {}
            for named in self._named_by(terms):
                if belongs := self.tables.series_of(named.cell):
                    best.setdefault(named.cell.table_index, (named, belongs[0]))
            tables.append(best)
        for index in set.intersection(*(set(best) for best in tables)):
            parts = [best[index][0] for best in tables]
            summed = list({id(best[index][1]): best[index][1] for best in tables}.values())
            if len(summed) == len(parts):
                for year in summed[0].by_year:
                    for found in changes_of_sum(summed, year, self.reading.when.base):
                        if self._is_change(found):
                            yield self._candidate(found, _together(parts), _PAIRED)

    def _years_of_quarters(self) -> Iterator[Candidate]:
        """Sum a year's quarters, and compute how such sums changed."""
        best: dict[tuple[int, int], Named] = {}
        for named in self.named[:_N_CHANGES]:
            if self.unit in (None, "percent", "bps") or is_compatible(named.cell, self.unit):
                best.setdefault((named.cell.table_index, named.cell.row), named)
        is_change = self.reading.role == "change"
        for row, named in best.items():
            quarters = self.tables.quarters.get(row, {})
            for year in quarters:
                if is_change:
                    each = changes_of_quarters(quarters, year, self.reading.when.base)
                else:
                    each = expressions(("sum",), quarters[year], 1)
                for found in each:
                    if self._is_change(found) if is_change else self._is_wanted(found):
                        part = self._candidate(found, named, _OF_QUARTERS)
                        # together they are a whole year
                        yield replace(part, evidence=part.evidence / PART_MISFIT)

    def _named_by(self, terms: frozenset[str]) -> list[Named]:
        """Find the amounts that the terms name, from the few best rows."""
        reading = replace(
            self.reading, terms=dict.fromkeys(terms, 1.0), phrase=terms, is_tight=True
        )
        named = [
            found
            for found in named_cells(reading, self.tables, Anchors({}, set()))
            if found.cell.unit == "money" and not self.tables.is_change(found.cell)
        ]
        return [found for found in named[:_N_PAIRED] if found.name >= _LEAST_OF_PAIR]

    def _of_pair(self, one: Cell, other: Cell, is_share: bool) -> Iterator[Expression]:
        if self.reading.role != "change":
            if one.row != other.row and other.value:
                yield from of_pair(one, other, is_share=is_share)
            return
        part, whole = self.tables.series_of(one), self.tables.series_of(other)
        if is_share and part and whole and part[0] is not whole[0]:
            for found in changes_of_shares(part[0], whole[0], part[1], self.reading.when.base):
                if _goes(found.value, self.reading.direction):
                    yield found

    def _sums(self) -> Iterator[Candidate]:
        columns: dict[tuple[int, int], list[Named]] = {}
        for named in self.named:
            if self._may_be(named.cell):
                columns.setdefault((named.cell.table_index, named.cell.column), []).append(named)
        for column in columns.values():
            by_cell = {named.cell: named for named in column[:_N_SUMMED]}
            for found in sums(list(by_cell), 3):
                parts = [by_cell[cell] for cell in found.cells]
                yield self._candidate(found, _together(parts), self._kind_of_sum())

    def _changes_of_sums(self) -> Iterator[Candidate]:
        tables: dict[int, dict[int, tuple[Named, Series]]] = {}  # by table, then one of each metric
        for named in self.named[:_N_CHANGES]:
            if belongs := self.tables.series_of(named.cell):
                metrics = tables.setdefault(named.cell.table_index, {})
                if len(metrics) < _N_SUMMED:
                    metrics.setdefault(id(belongs[0]), (named, belongs[0]))
        base, kind = self.reading.when.base, self._kind_of_sum()
        for metrics in tables.values():
            years = {year for _, series in metrics.values() for year in series.by_year}
            for year, ((one, a), (other, b)) in product(years, combinations(metrics.values(), 2)):
                for found in changes_of_sum((a, b), year, base):
                    if self._is_change(found):
                        yield self._candidate(found, _together((one, other)), kind)

    def _kind_of_sum(self) -> float:
        return 0.95 if self.reading.joint else 0.7

    def _averages(self) -> Iterator[Candidate]:
        for named in self.named[:_N_CHANGES]:
            if belongs := self.tables.series_of(named.cell):
                for found in averages(*belongs):
                    if self._is_wanted(found):
                        yield self._candidate(found, named, 0.6)


def _together(parts: Sequence[Named]) -> Named:
    """Name cells as one thing: as well as the worst named, by the words of all."""
    words = tuple(dict.fromkeys(word for part in parts for word in part.words))
    return Named(parts[0].cell, min(part.name for part in parts), words)


def _goes(value: Decimal, direction: int) -> bool:
    """Check whether a change has the direction that the words give, if any."""
    return not direction or not value or (value > 0) == (direction > 0)
