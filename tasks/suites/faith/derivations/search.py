"""The search for derivations: with the figure a proof, without it a guess.

Everything that the tables could give has a probability to stand in the figure's place, and so has
nothing of the tables. Fitted weights turn the evidence of the words into these probabilities. A
proof needs that the passage itself leads to the figure: a matching value alone is no evidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import TypeVar

import numpy as np

from tasks.core.progress import Progress, announce
from tasks.quantities.figures import Figure
from tasks.quantities.units import packaged_units
from tasks.suites.faith.derivations.candidates import Floats
from tasks.suites.faith.derivations.evidence import gather, weights
from tasks.suites.faith.derivations.expressions import Expression, Scenario, rounds_to
from tasks.suites.faith.derivations.forms import POINTS, unit_of_form
from tasks.suites.faith.derivations.passage import (
    Beside,
    Passage,
    Reading,
    figures_of,
    read_passage,
    says_points,
)
from tasks.suites.faith.derivations.tables import Tables
from tasks.suites.faith.derivations.writing import written
from tasks.suites.faith.masking import MASK
from tasks.suites.shared.tables.cells import Cell
from tasks.suites.shared.tables.sheets import Sheet, read_sheets

# The least evidence of a proof, chosen in sight of all filings (tests/bench/derivations.py).
LEAST_EVIDENCE = 0.3
# An exchange of two figures counts so often against the passage: it must be clearly less likely.
_OF_EXCHANGE = 2.0

# The masked figure is exchanged with this many of its sentence's nearest other figures, and of
# each neighbour's.
_N_EXCHANGED = 6


Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Proof:
    """An expression that gives the masked figure at its stated precision."""

    operation: str
    scenario: Scenario
    operands: tuple[Cell, ...]
    value: Decimal  # in ones of the figure's unit; the words may give its sign
    evidence: float  # how far the passage leads to this value and to no other, 0 to 1
    named_by: tuple[str, ...]  # the passage's words, stemmed, that name rows and columns
    rivals: int  # other values that the passage supports about as well

    @property
    def is_unique(self) -> bool:
        """Whether no other value fits the passage about as well."""
        return self.rivals == 0


@dataclass(frozen=True, slots=True)
class Guess:
    """The likeliest expression, with its value as an answer."""

    answer: str
    scenario: Scenario
    operation: str
    operands: tuple[Cell, ...]
    metrics: tuple[str, ...]
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """What could stand in a figure's place."""

    expressions: list[Expression]
    sizes: Floats
    likely: Floats  # probability of each
    none: float  # probability that no expression gives the figure

    def giving(self, figure: Figure) -> list[int]:
        """Find the places of what rounds to a figure, signs aside."""
        step = 10.0**-figure.decimals
        near = np.flatnonzero(abs(self.sizes - abs(float(figure.value))) <= step)
        return [
            int(place)
            for place in near
            if rounds_to(self.expressions[place].value, figure.value, figure.decimals)
        ]

    def stating(self, figure: Figure) -> float:
        """Return the probability of a figure, by the tables or by chance."""
        given = float(self.likely[self.giving(figure)].sum())
        return given + self.none * chance(figure)


def chance(figure: Figure) -> float:
    """Return how probable a figure's digits are by chance, by Benford's law.

    Half of it, for the unknown number of digits; the fitted weights hold any other factor.
    """
    return math.log10(1 + 1 / max(1, int(abs(figure.value.scaleb(figure.decimals))))) / 2


def rank(
    reading: Reading, tables: Tables, unit: str | None, weighing: Mapping[str, float] | None = None
) -> Ranked:
    """Weigh everything that could stand in a figure's place.

    Args:
        unit: the figure's; if unknown, percent, bps, or None for any other.
        weighing: weights of the evidence; None takes the fitted ones.
    """
    weighing = weighing or weights()
    found = gather(reading, tables, unit)
    scores = np.zeros(len(found.expressions))
    for name, values in found.features.items():
        scores += weighing[name] * values
    none = sum(weighing[name] * value for name, value in found.of_none.items())
    most = max(none, scores.max(initial=none))
    likely, unlikely = np.exp(scores - most), math.exp(none - most)
    total = float(likely.sum()) + unlikely
    sizes = np.array([abs(float(each.value)) for each in found.expressions])
    return Ranked(found.expressions, sizes, likely / total, unlikely / total)


def prove(
    passage: Passage,
    truth: Figure,
    sheets: Sequence[Sheet],
    weighing: Mapping[str, float] | None = None,
    least: float = LEAST_EVIDENCE,
) -> list[Proof]:
    """Find the derivations of a figure, the best evidence first; [] if nothing proves it.

    Args:
        weighing: weights of the evidence; None takes the fitted ones.
        least: the least evidence of a proof.

    Raises:
        ValueError: the sentence has no mask.
    """
    tables = tables_of(tuple(sheets))
    reading = read_passage(passage, in_points=says_points(truth))
    if not _has_currency(truth, sheets):
        return []
    ranked = rank(reading, tables, truth.unit, weighing)
    giving = ranked.giving(truth)
    if not giving:
        return []
    given = float(ranked.likely[giving].sum())
    others = _others(ranked, giving, truth)
    evidence = given / ranked.stating(truth)
    evidence *= given / (given + max(others, default=0.0))
    if evidence < least:
        return []
    evidence *= _in_place(passage, reading, truth, tables, weighing)
    if evidence < least:
        return []
    best = max(ranked.likely[giving])
    giving.sort(key=lambda place: -ranked.likely[place])
    return [
        Proof(
            found.operation,
            found.scenario,
            found.cells,
            found.value,
            evidence * float(ranked.likely[place] / best),
            tables.named_by(found.cells, reading.terms.keys()),
            sum(other > given for other in others),
        )
        for place in giving
        if (found := ranked.expressions[place])
    ]


def restore(passage: Passage, sheets: Sequence[Sheet], form: str) -> Guess | None:
    """Guess the figure that the passage most speaks of; None if it names no cell.

    Args:
        form: the masked figure's kind (`tasks.suites.faith.derivations.forms`).

    Raises:
        ValueError: the sentence has no mask, or there is no such form.
    """
    tables = tables_of(tuple(sheets))
    reading = read_passage(passage, in_points=form == POINTS)
    ranked = rank(reading, tables, unit_of_form(form))
    if not ranked.expressions:
        return None
    _, values = np.unique(ranked.sizes, return_inverse=True)
    by_value = np.bincount(values, ranked.likely)[values]
    found = ranked.expressions[int(np.lexsort((ranked.likely, by_value))[-1])]
    return Guess(
        answer=written(found, tables.name_of(found.cells[0]), in_points=form == POINTS),
        scenario=found.scenario,
        operation=found.operation,
        operands=found.cells,
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


def _others(ranked: Ranked, giving: Sequence[int], truth: Figure) -> list[float]:
    """Sum up the probability of each other value, rounded as the figure is."""
    is_other = np.ones(len(ranked.sizes), dtype=bool)
    is_other[giving] = False
    rounded = np.round(ranked.sizes[is_other] * 10.0**truth.decimals)
    _, values = np.unique(rounded, return_inverse=True)
    return [float(total) for total in np.bincount(values, ranked.likely[is_other])]


def _in_place(
    passage: Passage,
    reading: Reading,
    truth: Figure,
    tables: Tables,
    weighing: Mapping[str, float] | None,
) -> float:
    """Return how probable the passage is as it stands, not with two figures exchanged.

    Either order of two figures has a probability: of the one here and of the other there.
    """
    exchanged = 0.0
    for other, hidden in _hidden_instead(passage, reading, truth):
        read = read_passage(hidden, in_points=says_points(other))
        here = rank(_without(reading, truth, other), tables, truth.unit, weighing)
        there = rank(_without(read, truth, other), tables, other.unit, weighing)
        stated = here.stating(truth) * there.stating(other)
        exchanged += here.stating(other) * there.stating(truth) / stated
    return 1 / (1 + _OF_EXCHANGE * exchanged)


def _hidden_instead(
    passage: Passage, reading: Reading, truth: Figure
) -> Iterator[tuple[Figure, Passage]]:
    """Hide another figure of the passage in place of the masked one."""
    masked = passage.sentence
    at, stated = masked.index(MASK), masked.replace(MASK, truth.text)

    def alike(figures: Sequence[Beside]) -> list[Figure]:
        found = [said.figure for said in figures if said.figure.unit == truth.unit]
        return [figure for figure in found if abs(figure.value) != abs(truth.value)]

    own = sorted(alike(reading.beside), key=lambda figure: abs(figure.start_char - at))
    for other in own[:_N_EXCHANGED]:
        pieces = masked[: other.start_char], masked[other.end_char :]
        swapped = MASK.join(piece.replace(MASK, truth.text) for piece in pieces)
        yield other, replace(passage, masked=swapped)
    for text in (passage.before, passage.after):
        for other in alike(figures_of(text))[:_N_EXCHANGED]:
            line = " ".join(text.split())
            swapped = f"{line[: other.start_char]}{MASK}{line[other.end_char :]}"
            beside = ("", stated) if text is passage.before else (stated, "")
            yield other, Passage(beside[0], swapped, beside[1])


def _without(reading: Reading, *figures: Figure) -> Reading:
    """Forget all figures of the passage that state the same values."""
    values = {abs(figure.value) for figure in figures}
    beside, near = (
        tuple(said for said in found if abs(said.figure.value) not in values)
        for found in (reading.beside, reading.near)
    )
    return replace(reading, beside=beside, near=near)


@lru_cache(maxsize=4)
def sheets_of(tables: str) -> tuple[Sheet, ...]:
    """Read a prompt's tables, once for all figures asked of them."""
    return tuple(read_sheets(tables))


@lru_cache(maxsize=4)
def tables_of(sheets: tuple[Sheet, ...]) -> Tables:
    """Index a context's tables, once."""
    return Tables(sheets)
