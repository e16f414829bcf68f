"""The search for derivations: with the figure (is there a proof?) and without it (what would it be?).

Both rank the same candidates by evidence alone, so that a figure is proved only where the sentence itself leads to
it: what merely fits in value is worth nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from tasks.derivations.cells import Cell
from tasks.derivations.evidence import (
    Named,
    find_anchors,
    is_compatible,
    named_cells,
    period_fit,
    rounds_to,
)
from tasks.derivations.expressions import (
    Expression,
    Scenario,
    averages,
    changes,
    changes_of_sums,
    lookup,
    shares,
    sums,
)
from tasks.derivations.forms import POINTS, unit_of_form
from tasks.derivations.passage import Passage, Reading, read_passage
from tasks.derivations.tables import Series, Tables, totals_of
from tasks.derivations.writing import written
from tasks.text.figures import Figure
from tasks.text.masking import MASK
from tasks.text.sheets import Sheet, read_sheets

# The least evidence of a proof, and how near it must come to the best of all candidates.
LEAST_EVIDENCE = 0.2
LEAST_OF_BEST = 0.95
# How much more a sentence must speak of a figure at another place, for it to belong there.
_BETTER = 1.05
# From which share of a proof's evidence another value is a rival to it.
_RIVAL = 0.9

# What an amount counts where the words say that it is so much a thing, and one a thing where they do not.
_OTHER_RATE = 0.3
_FOREIGN = "€£¥"
# Of the best named cells so many are looked up, and made expressions of.
_N_LOOKUPS, _N_CHANGES, _N_SHARES = 400, 120, 60
_N_SUMMED = 4  # of one column
# What a value counts that another figure of the sentence states.
_TAKEN = 0.3
# With so many of a sentence's other figures, the nearest, the masked one is exchanged to see which fits where.
_N_EXCHANGED = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """An expression with how far the passage speaks of it, 0 to 1, and the words that name its cells.

    is_stated  whether another figure of the sentence states its value, which counts against it here
    """

    expression: Expression
    evidence: float
    words: tuple[str, ...]
    is_stated: bool


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
    tables = tables_of(tuple(sheets))
    if not _has_currency(truth, sheets):
        return []
    reading = read_passage(passage)
    ranked = candidates(reading, tables, truth.unit)
    if not ranked:
        return []
    least = max(LEAST_EVIDENCE, LEAST_OF_BEST * ranked[0].evidence)
    giving = [c for c in ranked if c.evidence >= least and gives(c.expression, truth)]
    if not giving or _belongs_elsewhere(passage, reading, truth, giving[0].evidence, ranked, tables):
        return []
    proofs = []
    for candidate in giving:
        found = candidate.expression
        proofs.append(
            Proof(
                found.operation,
                found.scenario,
                found.cells,
                found.value,
                candidate.evidence,
                candidate.words,
                _n_rivals(ranked, candidate, truth),
            )
        )
    return proofs


def restore(passage: Passage, sheets: Sequence[Sheet], form: str) -> Guess | None:
    """What the passage most speaks of, whatever it is; None where no cell is named.

    `form` says, in the prompt's words (`tasks.derivations.forms`), what kind of figure is masked.

    Raises:
        ValueError: the sentence has no mask, or there is no such form.
    """
    tables = tables_of(tuple(sheets))
    ranked = candidates(read_passage(passage), tables, unit_of_form(form))
    if not ranked:
        return None
    best = ranked[0]
    found = best.expression
    return Guess(
        answer=written(found, tables.name_of(found.cells[0]), in_points=form == POINTS),
        scenario=found.scenario,
        operation=found.operation,
        operands=found.cells,
        evidence=best.evidence,
        metrics=tuple(dict.fromkeys(tables.name_of(cell) for cell in found.cells)),
        references=tuple(
            f"Table {cell.table_index}, {tables.name_of(cell)}: {cell.text}" for cell in found.cells
        ),
    )


def _has_currency(truth: Figure, sheets: Sequence[Sheet]) -> bool:
    """Whether the tables have the figure's currency; dollars need no sign."""
    foreign = [character for character in truth.text if character in _FOREIGN]
    return not foreign or any(
        foreign[0] in text for sheet in sheets for row in ((sheet.pre_text,), *sheet.cells) for text in row
    )


def gives(expression: Expression, truth: Figure) -> bool:
    """Whether an expression's value is the figure, rounded to the figure's precision; signs stand in the words."""
    return rounds_to(expression.value, truth.value, truth.decimals)


def _belongs_elsewhere(
    passage: Passage,
    reading: Reading,
    truth: Figure,
    evidence: float,
    ranked: Sequence[Candidate],
    tables: Tables,
) -> bool:
    """Whether the figure and another of the sentence do not fit their places.

    So it is where the sentence, at the mask, speaks more of the other, or of the figure where it states the other.
    """
    if any(found.is_stated and found.evidence > evidence * _BETTER * _TAKEN for found in ranked):
        return True
    masked = " ".join(passage.masked.split())
    at = masked.index(MASK)
    others = [
        beside.figure
        for beside in reading.beside
        if beside.figure.unit == truth.unit and abs(beside.figure.value) != abs(truth.value)
    ]
    for other in sorted(others, key=lambda figure: abs(figure.start_char - at))[:_N_EXCHANGED]:
        pieces = masked[: other.start_char], masked[other.end_char :]
        swapped = MASK.join(piece.replace(MASK, truth.text) for piece in pieces)
        read = read_passage(Passage(passage.before, swapped, passage.after))
        unsaid = tuple(said for said in read.beside if abs(said.figure.value) != abs(truth.value))
        there = candidates(replace(read, beside=unsaid), tables, truth.unit)
        fitting = next((found.evidence for found in there if gives(found.expression, truth)), 0.0)
        own = next((found.evidence for found in there if gives(found.expression, other)), 0.0)
        if fitting > evidence * _BETTER and fitting > own:
            return True
    return False


def _kind_of(unit: str | None) -> str:
    """What the prompt tells of a unit: percent, bps or neither."""
    return unit if unit in ("percent", "bps") else "neither"


def _n_rivals(ranked: Sequence[Candidate], proof: Candidate, truth: Figure) -> int:
    near = (
        candidate
        for candidate in ranked
        if candidate.evidence >= _RIVAL * proof.evidence and not gives(candidate.expression, truth)
    )
    return len({round(abs(candidate.expression.value), 6) for candidate in near})


@lru_cache(maxsize=4)
def sheets_of(tables: str) -> tuple[Sheet, ...]:
    """The tables of a prompt, read once for all figures that are asked of them."""
    return tuple(read_sheets(tables))


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


class _Search:
    """Everything that a passage may speak of, with its evidence."""

    def __init__(self, reading: Reading, tables: Tables, unit: str | None) -> None:
        self.reading = reading
        self.tables = tables
        self.unit = unit
        self.anchors = find_anchors(reading, tables)
        self.named = named_cells(reading, tables, self.anchors)

    def all(self) -> Iterator[Candidate]:
        """What is worth anything at all."""
        return (candidate for candidate in self._each() if candidate.evidence)

    def _each(self) -> Iterator[Candidate]:
        yield from self._lookups()
        yield from self._changes()
        if self.unit == "percent":
            yield from self._shares()
        elif self.reading.sums and self.reading.role != "change":
            yield from self._sums()
        if self.reading.averages:
            yield from self._averages()
        if self.reading.sums and self.reading.role == "change":
            yield from self._changes_of_sums()

    def _candidate(self, found: Expression, named: Named, kind: float) -> Candidate:
        fit = period_fit(self.reading.when, self.tables, found.cells[0])
        is_stated = self._is_stated(found)
        return Candidate(
            found,
            named.name * fit * kind * (_TAKEN if is_stated else 1.0),
            named.words,
            is_stated,
        )

    def _is_stated(self, found: Expression) -> bool:
        """Whether another figure of the sentence states the value already."""
        return any(
            _kind_of(beside.figure.unit) == _kind_of(self.unit) and gives(found, beside.figure)
            for beside in self.reading.beside
        )

    def _is_wanted(self, found: Expression) -> bool:
        """Whether an expression's unit can be the figure's."""
        return _kind_of(found.unit) == _kind_of(self.unit)

    def _lookups(self) -> Iterator[Candidate]:
        for named in self.named[:_N_LOOKUPS]:
            cell = named.cell
            if _kind_of(cell.unit) != _kind_of(self.unit) or (
                self.unit is not None and not is_compatible(cell, self.unit)
            ):
                continue
            kind = self._kind_of_lookup(cell)
            if self.unit is None and (cell.unit == "rate") != self.reading.per_thing:
                kind *= _OTHER_RATE
            yield self._candidate(lookup(cell), named, kind)

    def _kind_of_lookup(self, cell: Cell) -> float:
        """How well a cell as it stands fits what the sentence says the figure is."""
        is_change = self.tables.grids[cell.table_index].is_change(cell)
        if self.reading.role == "change":
            if not is_change:
                return 0.4
            return 1.0 if _goes(cell.value, self.reading.direction) else 0.5
        return 0.35 if is_change else 1.0

    def _changes(self) -> Iterator[Candidate]:
        reading = self.reading
        for named in self.named[:_N_CHANGES]:
            series, year = self.tables.series_of(named.cell) or (None, 0)
            if series is None:
                continue
            for found in changes(series, year, reading.when.base):
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
        # Of a loss the words speak mostly of its size.
        agrees = (new < 0 and old < 0) or _goes(found.value, self.reading.direction)
        return kind if agrees else 0.0

    def _shares(self) -> Iterator[Candidate]:
        reading = self.reading
        if reading.role == "change":
            return
        kind = 0.95 if reading.role == "share" else 0.45
        for named in self.named[:_N_SHARES]:
            cell = named.cell
            if cell.unit in ("money", "amount") and not self.tables.grids[cell.table_index].is_change(cell):
                for found in shares(cell, totals_of(self.tables, cell)):
                    yield self._candidate(found, named, kind)

    def _sums(self) -> Iterator[Candidate]:
        columns: dict[tuple[int, int], list[Named]] = {}
        for named in self.named:
            if _kind_of(named.cell.unit) == _kind_of(self.unit) and (
                self.unit is None or is_compatible(named.cell, self.unit)
            ):
                columns.setdefault((named.cell.table_index, named.cell.column), []).append(named)
        for column in columns.values():
            by_cell = {named.cell: named for named in column[:_N_SUMMED]}
            for found in sums(list(by_cell), 3):
                parts = [by_cell[cell] for cell in found.cells]
                words = tuple(dict.fromkeys(word for part in parts for word in part.words))
                weakest = min(part.name for part in parts)
                yield self._candidate(found, Named(found.cells[0], weakest, words), self._kind_of_sum())

    def _changes_of_sums(self) -> Iterator[Candidate]:
        tables: dict[int, dict[int, tuple[Named, Series]]] = {}  # by table, then one of each metric
        for named in self.named[:_N_CHANGES]:
            if belongs := self.tables.series_of(named.cell):
                metrics = tables.setdefault(named.cell.table_index, {})
                if len(metrics) < _N_SUMMED:
                    metrics.setdefault(id(belongs[0]), (named, belongs[0]))
        for metrics in tables.values():
            named_by = {cell: named for named, series in metrics.values() for cell in series.by_year.values()}
            for year in {year for _, series in metrics.values() for year in series.by_year}:
                summed = [series for _, series in metrics.values()]
                for found in changes_of_sums(summed, year, self.reading.when.base):
                    if self._is_wanted(found) and _goes(found.value, self.reading.direction):
                        parts = [named_by[cell] for cell in found.cells]
                        words = tuple(dict.fromkeys(word for part in parts for word in part.words))
                        weakest = min(part.name for part in parts)
                        yield self._candidate(
                            found, Named(found.cells[0], weakest, words), self._kind_of_sum()
                        )

    def _kind_of_sum(self) -> float:
        return 0.95 if self.reading.joint else 0.7

    def _averages(self) -> Iterator[Candidate]:
        for named in self.named[:_N_CHANGES]:
            series, year = self.tables.series_of(named.cell) or (None, 0)
            for found in averages(series, year) if series else ():
                if self._is_wanted(found):
                    yield self._candidate(found, named, 0.6)


def _goes(value: Decimal, direction: int) -> bool:
    """Whether a change goes the way that the words say, if they say any."""
    return not direction or not value or (value > 0) == (direction > 0)
