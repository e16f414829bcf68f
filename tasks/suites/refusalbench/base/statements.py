"""What a filing states for certain: short answers to questions that name company and period."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.suites.shared.phrases import YEAR
from tasks.text.terms import content_terms

Kind = Literal["money", "percent", "number", "date", "text"]

_SAYS_NOTHING = {"total", "consolid"}  # stems: `total net sales` are net sales
_LEAST_IN_ONES = 1_000_000
_LEAST_SPECIFIC = 4  # terms of a measure that needs no second statement


def is_name_of(said: str, company: str) -> bool:
    """Whether words are a company's name, or the start of it: `Apple` of `Apple Inc`."""
    words, name = (each.lower().replace(",", "").split() for each in (said, company))
    return bool(words) and words == name[: len(words)] and (words == name or len(words[0]) > 3)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence or table row that answers a question."""

    query: str
    answer: str  # as the text writes it, or as a sentence would state the cell
    kind: Kind
    measure: str  # what is asked for, without the company
    period: str  # `2017`, `December 31, 2017`; "" if the question names none
    start_char: int  # of the sentence or row, in the document's text
    end_char: int
    column: int | None = None  # of a row: place of the cell among its values
    pair_id: str | None = None  # another suite's pair that asks it; null for the filing's own

    @property
    def key(self) -> tuple[object, ...]:
        """What it is about; statements of one key must agree."""
        terms = frozenset(content_terms(self.measure)) - _SAYS_NOTHING
        return terms, tuple(YEAR.findall(self.period)), self.kind

    @property
    def figure(self) -> Figure | None:
        """The answer's figure; None for dates and texts."""
        if self.kind in ("date", "text"):
            return None
        return next(iter(find_figures(self.answer, alone=True)), None)

    @property
    def is_specific(self) -> bool:
        """Whether it says all that it is of, and is no line of every report, such as net sales."""
        if self.kind == "number":
            return True  # of the company itself, as a count of its employees
        figure = self.figure
        if self.kind == "money" and figure and figure.value < _LEAST_IN_ONES:
            return False  # perhaps in thousands, as a note's head says
        names_one = any(word[:1].isupper() for word in self.measure.split()[1:])
        return names_one or len({*content_terms(self.measure)}) >= _LEAST_SPECIFIC


def agreeing(statements: Iterable[Statement]) -> list[list[Statement]]:
    """Group statements of one thing, sentences first; drop what a filing states differently.

    A figure also needs a second statement, unless its measure is specific and a sentence states
    it: a section on a segment says `net sales` and means the segment's. A cell's scale and column
    are confirmed by the second statement.
    """
    groups: dict[tuple[object, ...], list[Statement]] = defaultdict(list)
    for statement in statements:
        groups[statement.key].append(statement)
    found = []
    for group in groups.values():
        group.sort(key=lambda each: (each.column is not None, each.start_char))
        first = group[0]
        is_confirmed = len({each.start_char for each in group}) > 1
        is_certain = first.column is None and (first.figure is None or first.is_specific)
        if (is_confirmed or is_certain) and all(_agree(first, other) for other in group[1:]):
            found.append(group)
    return found


def _agree(one: Statement, other: Statement) -> bool:
    if one.figure is None or other.figure is None:
        return one.answer == other.answer
    is_like = (one.figure.value < 0) == (other.figure.value < 0)
    return is_like and same_figure(one.figure, other.figure)
