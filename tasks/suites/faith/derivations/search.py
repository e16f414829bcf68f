"""The search for derivations: with the figure a proof, without it a guess.

Both rank the same candidates by evidence alone. So a figure is proved only if the sentence itself
leads to it: a matching value alone is no evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import TypeVar

from tasks.core.progress import Progress, announce
from tasks.quantities.figures import Figure
from tasks.quantities.units import packaged_units
from tasks.suites.faith.derivations.candidates import TAKEN, Candidate, candidates, gives
from tasks.suites.faith.derivations.expressions import Scenario
from tasks.suites.faith.derivations.forms import POINTS, unit_of_form
from tasks.suites.faith.derivations.passage import Passage, Reading, read_passage
from tasks.suites.faith.derivations.tables import Tables
from tasks.suites.faith.derivations.writing import written
from tasks.suites.faith.masking import MASK
from tasks.suites.shared.tables.cells import Cell
from tasks.suites.shared.tables.sheets import Sheet, read_sheets

# The least evidence of a proof, and how near it must come to the best of all candidates. It is the
# higher of what each half of the filings would choose by itself (tests/bench/derivations.py).
LEAST_EVIDENCE = 0.25
# A figure of one digit fits many cells by accident.
_LEAST_OF_ONE_DIGIT = 0.35
LEAST_OF_BEST = 0.95
# How much stronger the evidence elsewhere must be for a figure to belong there.
_BETTER = 1.05
# Another value with this share of a proof's evidence is its rival.
_RIVAL = 0.9

# The masked figure is swapped with this many of the sentence's nearest other figures.
_N_EXCHANGED = 6


Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Proof:
    """An expression that gives the masked figure at its stated precision."""

    operation: str
    scenario: Scenario
    operands: tuple[Cell, ...]
    value: Decimal  # in ones of the figure's unit; the words may give its sign
    evidence: float  # how far the passage speaks of its cells and its operation, 0 to 1
    named_by: tuple[str, ...]  # the passage's words, stemmed, that name rows and columns
    rivals: int  # other values that the passage supports about as well

    @property
    def is_unique(self) -> bool:
        """Whether no other value fits the passage about as well."""
        return self.rivals == 0


@dataclass(frozen=True, slots=True)
class Guess:
    """The best expression by evidence alone, with its value as an answer."""

    answer: str
    scenario: Scenario
    operation: str
    operands: tuple[Cell, ...]
    evidence: float
    metrics: tuple[str, ...]
    references: tuple[str, ...]


def prove(passage: Passage, truth: Figure, sheets: Sequence[Sheet]) -> list[Proof]:
    """Find the derivations of a figure, the best evidence first; [] if nothing proves it.

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
    has_one_digit = abs(truth.value.scaleb(truth.decimals)) < 10
    least = max(
        _LEAST_OF_ONE_DIGIT if has_one_digit else LEAST_EVIDENCE, LEAST_OF_BEST * ranked[0].evidence
    )
    giving = [c for c in ranked if c.evidence >= least and gives(c.expression, truth)]
    if not giving or _belongs_elsewhere(
        passage, reading, truth, giving[0].evidence, ranked, tables
    ):
        return []
    return [
        Proof(
            found.operation,
            found.scenario,
            found.cells,
            found.value,
            candidate.evidence,
            candidate.words,
            _n_rivals(ranked, candidate, truth),
        )
        for candidate in giving
        if (found := candidate.expression)
    ]


def restore(passage: Passage, sheets: Sequence[Sheet], form: str) -> Guess | None:
    """Guess the figure that the passage most speaks of; None if it names no cell.

    Args:
        form: the masked figure's kind (`tasks.suites.faith.derivations.forms`).

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


def announced(what: str, things: Sequence[Thing]) -> Iterator[Thing]:
    """Yield what is searched, and announce how much of it is done."""
    for done, thing in enumerate(things, start=1):
        yield thing
        n = len(things)
        announce(Progress(what=what, done=done, total=n, is_open=done < n))


def _has_currency(truth: Figure, sheets: Sequence[Sheet]) -> bool:
    """Check whether the tables have the figure's currency; dollars need no sign."""
    if truth.currency in (None, "USD"):
        return True
    group = packaged_units().groups[truth.currency]
    return any(
        name in text
        for sheet in sheets
        for row in ((sheet.pre_text,), *sheet.cells)
        for text in row
        for name in (*group.symbols, *group.aliases)
    )


def _belongs_elsewhere(
    passage: Passage,
    reading: Reading,
    truth: Figure,
    evidence: float,
    ranked: Sequence[Candidate],
    tables: Tables,
) -> bool:
    """Check whether two figures of the sentence are in each other's place.

    This is so if the sentence, at the mask, speaks more of the other figure. It is also so if it
    speaks more of the masked figure at the other's place.
    """
    if any(found.is_stated and found.evidence > evidence * _BETTER * TAKEN for found in ranked):
        return True
    masked = passage.sentence
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


def _n_rivals(ranked: Sequence[Candidate], proof: Candidate, truth: Figure) -> int:
    near = (
        candidate
        for candidate in ranked
        if candidate.evidence >= _RIVAL * proof.evidence and not gives(candidate.expression, truth)
    )
    return len({round(abs(candidate.expression.value), 6) for candidate in near})


@lru_cache(maxsize=4)
def sheets_of(tables: str) -> tuple[Sheet, ...]:
    """Read a prompt's tables, once for all figures asked of them."""
    return tuple(read_sheets(tables))


@lru_cache(maxsize=4)
def tables_of(sheets: tuple[Sheet, ...]) -> Tables:
    """Index a context's tables, once."""
    return Tables(sheets)
