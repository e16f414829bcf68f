"""The operations that write one question on a snippet, a round for each level.

Paper 001, appendix A. The prompts of all rounds begin alike, up to and including the snippet. A
round is shown the pairs of the rounds before it, as what not to ask again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.inference.schemas import closed, label, listed, matching, text
from tasks.suites.tablequest.questions.cells import NamedCell
from tasks.suites.tablequest.questions.fields import needed_text, read_fields, text_of
from tasks.suites.tablequest.rows import Level

LEVELS: tuple[Level, ...] = ("warmup", "easy", "medium", "hard")

# Characters of an answer: a number or a few words, but one or two sentences for a hard question.
_LONGEST: Mapping[Level, int] = {"warmup": 500, "easy": 60, "medium": 60, "hard": 400}
_MOST_CELLS = 26
_NOTHING = re.compile(
    r"\W*(?:n/?a|none|null|unknown|no answer|not (?:applicable|available|stated|given))\W*",
    re.IGNORECASE,
)
_TABLE = re.compile(r"\s*(?:table\s*)?(\d{1,3})\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs; `earlier` are the pairs so far, or words that there are none."""

    context: str
    company: str
    year: str
    earlier: str


@dataclass(frozen=True, slots=True)
class Written:
    """One question as a model wrote it; "" if it found nothing to ask."""

    question: str
    answer: str
    steps: str = ""
    cells: tuple[NamedCell, ...] = ()
    calculation: str | None = None


def parse(reply: str, level: Level) -> Written:
    """Read one question with its answer, and what else its level has; empty without an answer.

    Raises:
        ParseError: there is none, or more than one; a part that its level needs is missing; or the
            answer is a sentence where a number or a few words are asked for, or too long.
    """
    if _found_nothing(reply):
        return Written("", "")
    needed: tuple[str, ...] = ("question", "answer")
    needed += {"easy": ("cells",), "medium": ("steps",), "hard": ("steps",)}.get(level, ())
    fields = read_fields(reply, ("question", "answer", "steps", "calculation", "cells"), needed)
    written = Written(
        question=" ".join(needed_text(fields["question"], "question").split()),
        answer=" ".join(text_of(fields["answer"], "answer").split()),
        steps=text_of(fields.get("steps"), "steps"),
        cells=_cells(fields.get("cells")),
        calculation=text_of(fields.get("calculation"), "calculation") or None,
    )
    if not written.answer or _NOTHING.fullmatch(written.answer):
        return Written("", "")
    if level == "easy" and len(written.cells) != 1:
        raise ParseError("an easy question is about exactly one cell")
    if level in ("medium", "hard") and not written.steps:
        raise ParseError("the steps of the reply are empty")
    if len(written.answer) > _LONGEST[level]:
        raise ParseError(f"the answer has more than {_LONGEST[level]} characters")
    return written


def _found_nothing(reply: str) -> bool:
    """Check whether a reply leaves its question and answer empty, as the prompt allows."""
    try:
        fields = read_fields(reply, ("question", "answer"), ("question",))
        return not any(text_of(value, name) for name, value in fields.items())
    except ParseError:
        return False


def _cells(listed_cells: Any) -> tuple[NamedCell, ...]:
    """Read a list of cells; without names they are A, B, ..."""
    if listed_cells in (None, ""):
        return ()
    if not isinstance(listed_cells, list) or len(listed_cells) > _MOST_CELLS:
        raise ParseError("the cells of the reply are not a list of cells")
    cells = tuple(_cell(cell, place) for place, cell in enumerate(listed_cells))
    if len({cell.name for cell in cells}) < len(cells):
        raise ParseError("two cells of the reply have one name")
    return cells


def _cell(fields: Any, place: int) -> NamedCell:
    if not isinstance(fields, Mapping):
        raise ParseError("a cell of the reply is not an object")
    table = _TABLE.fullmatch(str(fields.get("table", "")))
    if table is None:
        raise ParseError("a cell of the reply has no number of a table")
    name = text_of(fields.get("name"), "name") or chr(ord("A") + place)
    if not re.fullmatch(r"[^\W\d]\w*", name):
        raise ParseError("the name of a cell is not a letter")
    row, column, value = (needed_text(fields.get(key), key) for key in ("row", "column", "value"))
    return NamedCell(name=name, table=int(table[1]), row=row, column=column, value=value)


# A model that finds nothing to ask leaves question and answer empty.
_QUESTION = text(300, least=0)
_ANSWERS = {
    level: label(most) if level in ("easy", "medium") else text(most, least=0)
    for level, most in _LONGEST.items()
}
_STEPS = text(500, least=15)
_CELL = closed(
    name=matching("[A-Z]"),
    table={"type": "integer"},
    row=label(120),
    column=label(120),
    value=label(40),
)
_CALCULATION = matching(r"[A-Z0-9(-][A-Z0-9 .()+*/-]{0,80}")
# A level's reply, in the order in which it is written.
_REPLIES: Mapping[Level, Mapping[str, Any]] = {
    "warmup": closed(question=_QUESTION, answer=_ANSWERS["warmup"]),
    "easy": closed(
        question=_QUESTION, cells=listed(_CELL, most=1, least=1), answer=_ANSWERS["easy"]
    ),
    "medium": closed(
        question=_QUESTION,
        steps=_STEPS,
        cells=listed(_CELL, most=8, least=1),
        calculation=_CALCULATION,
        answer=_ANSWERS["medium"],
    ),
    "hard": closed(question=_QUESTION, steps=_STEPS, answer=_ANSWERS["hard"]),
}


def _operation(level: Level) -> Operation[Inputs, Written]:
    return Operation(
        name=f"write_{level}",
        template=f"tablequest/{level}",
        inputs=Inputs,
        parse=partial(parse, level=level),
        sampling=Sampling(temperature=0.7, max_tokens=2048),
        schema=_REPLIES[level],
    )


OPERATIONS: Mapping[Level, Operation[Inputs, Written]] = {
    level: _operation(level) for level in LEVELS
}
