"""The search for derivations: with the figure (is there a proof?) and without it (what would it be?).

Both rank the same candidates by evidence alone, so that a figure is proved only where the sentence itself leads to
it: what merely fits in value is worth nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from tasks.derivations.cells import Cell
from tasks.derivations.evidence import Tables, anchors, is_compatible, period_fit
from tasks.derivations.expressions import (
    Expression,
    Scenario,
    averages,
    changes,
    shares,
    sums,
    totals_beside,
)
from tasks.derivations.passage import Passage, Reading, read_passage
from tasks.derivations.writing import written
from tasks.text.figures import Figure
from tasks.text.sheets import Sheet

# The least evidence of a proof, and how near it must come to the best of all candidates.
LEAST_EVIDENCE = 0.2
LEAST_OF_BEST = 0.85
# From which share of a proof's evidence another value is a rival to it.
_RIVAL = 0.9

_N_CELLS = 60  # best named cells, of which expressions are made
_N_ROWS = 4  # best named rows, for sums


@dataclass(frozen=True, slots=True)
class Candidate:
    """An expression with how far the passage speaks of it, 0 to 1, and the words that name its cells."""

    expression: Expression
    evidence: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """An expression that gives the masked figure at its stated precision.

    value      of the expression, in ones of the figure's unit; its sign may stand in the sentence's words
    evidence   how far the passage speaks of its cells and its operation, 0 to 1
    named_by   the words of the passage, stemmed, that name rows and columns
    rivals     other values that the passage speaks of about as much
    """

    operation: str
    scenario: Scenario
    operands: tuple[Cell, ...]
    value: Decimal
    evidence: float
    named_by: tuple[str, ...]
    rivals: int

    @property
    def is_unique(self) -> bool:
        """Whether no other value fits the passage about as well."""
        return self.rivals == 0


@dataclass(frozen=True, slots=True)
class Guess:
    """The best expression by evidence alone, and its value as an answer is written."""

    answer: str
    scenario: Scenario
    operation: str
    operands: tuple[Cell, ...]
    evidence: float
    metrics: tuple[str, ...]
    references: tuple[str, ...]


def prove(passage: Passage, truth: Figure, sheets: Sequence[Sheet]) -> list[Proof]:
    """The derivations of a figure, the best evidence first; [] where what the sentence speaks of does not give it.

    Raises:
        ValueError: the sentence has no mask.
    """
    ranked = candidates(read_passage(passage), tables_of(tuple(sheets)), truth.unit)
    if not ranked:
        return []
    least = max(LEAST_EVIDENCE, LEAST_OF_BEST * ranked[0].evidence)
    proofs = []
    for candidate in ranked:
        if candidate.evidence < least:
            break
        if gives(candidate.expression, truth):
            found = candidate.expression
            proofs.append(
                Proof(
                    found.operation,
                    found.scenario,
                    found.cells,
                    _in_unit(found.value, truth.unit),
                    candidate.evidence,
                    candidate.words,
                    _n_rivals(ranked, candidate, truth),
                )
            )
    return proofs


def restore(passage: Passage, sheets: Sequence[Sheet], form: str) -> Guess | None:
    """What the passage most speaks of, whatever it is; None where no cell is named.

    `form` says, as the prompt does, whether the figure is a percentage, basis points or neither.

    Raises:
        ValueError: the sentence has no mask.
    """
    tables = tables_of(tuple(sheets))
    ranked = candidates(read_passage(passage), tables, _unit_of(form))
    if not ranked:
        return None
    best = ranked[0]
    found = best.expression
    return Guess(
        answer=written(found, _unit_of(form)),
        scenario=found.scenario,
        operation=found.operation,
        operands=found.cells,
        evidence=best.evidence,
        metrics=tuple(dict.fromkeys(tables.name_of(cell) for cell in found.cells)),
        references=tuple(
            f"Table {cell.table_index}, {tables.name_of(cell)}: {cell.text}" for cell in found.cells
        ),
    )


def _unit_of(form: str) -> str | None:
    if "neither" in form:
        return None
    return "bps" if "basis point" in form else "percent" if "percentage" in form else None


def gives(expression: Expression, truth: Figure) -> bool:
    """Whether an expression's value is the figure, rounded to the figure's precision; signs stand in the words."""
    value = _in_unit(expression.value, truth.unit)
    step = Decimal(1).scaleb(-truth.decimals)
    return abs(value).quantize(step, ROUND_HALF_UP) == abs(truth.value) if value.is_finite() else False


def _in_unit(value: Decimal, unit: str) -> Decimal:
    return value * 100 if unit == "bps" else value


def _n_rivals(ranked: Sequence[Candidate], proof: Candidate, truth: Figure) -> int:
    near = (
        candidate
        for candidate in ranked
        if candidate.evidence >= _RIVAL * proof.evidence and not gives(candidate.expression, truth)
    )
    return len({round(abs(candidate.expression.value), 6) for candidate in near})


@lru_cache(maxsize=4)
def tables_of(sheets: tuple[Sheet, ...]) -> Tables:
    """The tables of a context, read once."""
    return Tables(sheets)


def candidates(reading: Reading, tables: Tables, unit: str | None) -> list[Candidate]:
    """What a passage may speak of, the most likely first.

    `unit` is the figure's, or percent, bps or None for any other where it is not known.
    """
    search = _Search(reading, tables, unit)
    best: dict[tuple[str, tuple[Cell, ...]], Candidate] = {}
    for candidate in search.all():
        key = (candidate.expression.operation, candidate.expression.cells)
        if key not in best or candidate.evidence > best[key].evidence:
            best[key] = candidate
    return sorted(best.values(), key=lambda found: -found.evidence)


@dataclass(frozen=True, slots=True)
class _Named:
    cell: Cell
    name: float
    words: tuple[str, ...]


class _Search:
    def __init__(self, reading: Reading, tables: Tables, unit: str | None) -> None:
        self.reading = reading
        self.tables = tables
        self.unit = unit
        self.is_percent = unit in ("percent", "bps")
        self.anchors = anchors(reading, tables)
        self.named = self._named()

    def _named(self) -> list[_Named]:
        """The cells whose names the passage says most of."""
        weights = self.reading.terms
        rated = []
        for cell in self.tables.cells:
            mass, said, words = self.tables.named(cell, weights)
            if mass:
                rated.append((cell, mass, said, tuple(words)))
        if not rated:
            return []
        most = max(mass * said * said for _, mass, said, _ in rated)
        named = []
        for cell, mass, said, words in rated:
            name = said * math.sqrt(mass / most) * mass / (mass + 1.0) if most else 0.0
            name = min(1.0, name)
            beside = self.anchors.get((cell.table_index, cell.row), {})
            sure = min(1.0, sum(value for place, value in beside.items() if place != (cell.row, cell.column)))
            named.append(_Named(cell, name + (1 - name) * 0.6 * sure * min(1.0, 2 * said), words))
        named.sort(key=lambda found: -found.name)
        return named[: _N_CELLS * 6]

    def all(self) -> Iterator[Candidate]:
        yield from self._lookups()
        yield from self._changes()
        if self.is_percent:
            yield from self._shares()
        else:
            yield from self._sums()
        if self.reading.averages:
            yield from self._averages()

    def _fits(self, unit: str) -> bool:
        if self.is_percent:
            return unit == "percent"
        return unit != "percent"

    def _lookups(self) -> Iterator[Candidate]:
        from tasks.derivations.expressions import expression

        role = self.reading.role
        for named in self.named:
            cell = named.cell
            if self.unit is None:
                if cell.unit == "percent":
                    continue
            elif not is_compatible(cell, self.unit):
                continue
            is_change = self.tables.grids[cell.table_index].is_change(cell)
            if role == "change":
                kind = 1.0 if is_change else 0.4
                if is_change and self.reading.direction and (cell.value > 0) != (self.reading.direction > 0):
                    kind = 0.5
            elif role == "share":
                kind = 0.3 if is_change else 1.0
            else:
                kind = 0.35 if is_change else 1.0
            found = expression("lookup", (cell,), 1)
            assert found is not None
            fit = period_fit(self.reading, self.tables, cell)
            taken = self._is_taken(cell)
            yield Candidate(found, named.name * fit * kind * (0.3 if taken else 1.0), named.words)

    def _is_taken(self, cell: Cell) -> bool:
        """Whether another figure of the sentence states this cell already."""
        return self.anchors.get((cell.table_index, cell.row), {}).get((cell.row, cell.column), 0.0) > 0.4

    def _changes(self) -> Iterator[Candidate]:
        reading = self.reading
        for named in self.named[: _N_CELLS * 2]:
            cell = named.cell
            series = self.tables.series.get((cell.table_index, cell.row, cell.column))
            if series is None:
                continue
            year = next(y for y, c in series.by_year.items() if c is cell)
            fit = period_fit(reading, self.tables, cell)
            for found in changes(series, year, reading.when.base):
                if not self._is_wanted(found):
                    continue
                kind = 0.95 if reading.role == "change" else 0.25
                if found.operation in ("point_difference", "basis_points"):
                    kind *= 1.0 if reading.points or self.unit == "bps" else 0.4
                elif reading.points or self.unit == "bps":
                    kind *= 0.2
                if found.operation == "percent_change" and found.cells[0].unit == "percent":
                    kind *= 0.6
                if not self._agrees(found):
                    kind *= 0.3
                yield Candidate(found, named.name * fit * kind, named.words)

    def _is_wanted(self, found: Expression) -> bool:
        if self.is_percent:
            return found.unit == "percent"
        return found.unit != "percent"

    def _agrees(self, found: Expression) -> bool:
        """Whether a change goes the way that the words say; of a loss they mostly speak of its size."""
        direction = self.reading.direction
        if not direction or not found.value:
            return True
        size = found.value
        new, old = found.cells[0].value, found.cells[1].value
        if new < 0 and old < 0:
            return True if found.operation != "difference" else True
        return (size > 0) == (direction > 0)

    def _shares(self) -> Iterator[Candidate]:
        reading = self.reading
        if reading.role == "change":
            return
        kind = {"share": 0.95, "level": 0.45}.get(reading.role, 0.2)
        for named in self.named[:_N_CELLS]:
            cell = named.cell
            if cell.unit not in ("money", "amount") or self.tables.grids[cell.table_index].is_change(cell):
                continue
            fit = period_fit(reading, self.tables, cell)
            wholes = totals_beside(self.tables, cell)
            for found in shares(cell, wholes):
                yield Candidate(found, named.name * fit * kind, named.words)

    def _sums(self) -> Iterator[Candidate]:
        reading = self.reading
        if not reading.sums or reading.role == "change":
            return
        rows: dict[tuple[int, int], list[_Named]] = {}
        for named in self.named:
            if self.unit is None or is_compatible(named.cell, self.unit):
                rows.setdefault((named.cell.table_index, named.cell.column), []).append(named)
        for (_, _), found in rows.items():
            chosen = found[:_N_ROWS]
            if len(chosen) < 2:
                continue
            by_cell = {named.cell: named for named in chosen}
            for total in sums([named.cell for named in chosen], 3):
                names = [by_cell[cell].name for cell in total.cells]
                fit = period_fit(reading, self.tables, total.cells[0])
                words = tuple(dict.fromkeys(word for cell in total.cells for word in by_cell[cell].words))
                yield Candidate(total, min(names) * fit * 0.7, words)

    def _averages(self) -> Iterator[Candidate]:
        for named in self.named[:_N_CELLS]:
            cell = named.cell
            series = self.tables.series.get((cell.table_index, cell.row, cell.column))
            if series is None:
                continue
            year = next(y for y, c in series.by_year.items() if c is cell)
            for found in averages(series, year):
                if self._is_wanted(found):
                    fit = period_fit(self.reading, self.tables, cell)
                    yield Candidate(found, named.name * fit * 0.6, named.words)
