"""The operations that write one question on a snippet, a round for each level.

Paper 001, appendix A. The prompts of all rounds begin alike, up to and including the snippet. A
round is shown the pairs of the rounds before it, as what not to ask again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.inference.schemas import closed, label, listed, matching, text
from tasks.suites.tablequest.questions.cells import NamedCell
from tasks.suites.tablequest.rows import Level
from tasks.text.json_replies import objects

LEVELS: tuple[Level, ...] = ("warmup", "easy", "medium", "hard")

# Characters of an answer: a number or a few words, but one or two sentences for a hard question.
_LONGEST: Mapping[Level, int] = {"warmup": 500, "easy": 60, "medium": 60, "hard": 400}
_MOST_CELLS = 26
_NOTHING = re.compile(
    r"\W*(?:n/?a|none|null|unknown|no answer|not (?:applicable|available|stated|given))?\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RoundInputs:
    """The prompt's inputs; `earlier` are the pairs so far, or words that there are none."""

    context: str
    company: str
    period_end: str
    earlier: str


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """One question as a model wrote it; "" if it found nothing to ask."""

    question: str
    answer: str
    steps: str = ""
    cells: tuple[NamedCell, ...] = ()
    calculation: str | None = None


# --- replies ---------------------------------------------------------------------------------


def _as_text(value: Any) -> str:
    """Read a text, a number, or texts that a model wrote as a list."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = "\n".join(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise ValueError("it is not a text")
    return "" if value is None else str(value).strip()


def _as_number(value: Any) -> Any:
    """Read a table's number, also as `Table 2`."""
    return value.strip().casefold().removeprefix("table") if isinstance(value, str) else value


_Text = Annotated[str, BeforeValidator(_as_text)]
_Filled = Annotated[_Text, Field(min_length=1)]


class _Cell(BaseModel):
    name: Annotated[_Text, Field(pattern=r"^([^\W\d]\w*)?$")] = ""
    table: Annotated[int, BeforeValidator(_as_number), Field(ge=0, le=999)]
    row: _Filled
    column: _Filled
    value: _Filled


class _Reply(BaseModel):
    question: _Text
    answer: _Text
    steps: _Text = ""
    calculation: _Text = ""
    cells: Annotated[
        list[_Cell], BeforeValidator(lambda cells: cells or []), Field(max_length=_MOST_CELLS)
    ] = []


def parse(reply: str, level: Level) -> WrittenQuestion:
    """Read one question with its answer, and what else its level has; empty without an answer.

    Cells without names are A, B, ...

    Raises:
        ParseError: there is none, or more than one; a part that its level needs is missing; or the
            answer is a sentence where a number or a few words are asked for, or too long.
    """
    items = [item for item in objects(reply) if {"question", "answer"} <= item.keys()]
    if not items:
        raise ParseError("the reply has no object with question and answer")
    if any(item != items[0] for item in items):
        raise ParseError("the reply gives several different objects")
    try:
        read = _Reply.model_validate(items[0])
    except ValidationError as invalid:
        first = invalid.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ParseError(f"{place} of the reply: {first['msg']}") from invalid
    question, answer = (" ".join(item.split()) for item in (read.question, read.answer))
    if _NOTHING.fullmatch(answer):
        return WrittenQuestion("", "")
    cells = tuple(
        NamedCell(item.name or chr(ord("A") + place), item.table, item.row, item.column, item.value)
        for place, item in enumerate(read.cells)
    )
    if not question:
        raise ParseError("the question of the reply is empty")
    if level == "easy" and len(cells) != 1:
        raise ParseError("an easy question is about exactly one cell")
    if len({cell.name for cell in cells}) < len(cells):
        raise ParseError("two cells of the reply have one name")
    if level in ("medium", "hard") and not read.steps:
        raise ParseError("the steps of the reply are empty")
    if len(answer) > _LONGEST[level]:
        raise ParseError(f"the answer has more than {_LONGEST[level]} characters")
    return WrittenQuestion(question, answer, read.steps, cells, read.calculation or None)


# A model that finds nothing to ask leaves question and answer empty.
_QUESTION = text(400, least=0)
_ANSWERS = {
    level: label(most) if level in ("easy", "medium") else text(most, least=0)
    for level, most in _LONGEST.items()
}
_STEPS = text(900, least=15)
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


def _operation(level: Level) -> Operation[RoundInputs, WrittenQuestion]:
    return Operation(
        name=f"write_{level}",
        template=f"tablequest/{level}",
        inputs=RoundInputs,
        parse=partial(parse, level=level),
        sampling=Sampling(temperature=0.7, max_tokens=2048),
        schema=_REPLIES[level],
    )


OPERATIONS: Mapping[Level, Operation[RoundInputs, WrittenQuestion]] = {
    level: _operation(level) for level in LEVELS
}
