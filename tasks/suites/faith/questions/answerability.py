"""The operation by which a panel says whether tables give a figure.

Paper 004, answerability annotation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.inference.replies import objects, read_option

ANSWERABLE = "answerable"
UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: tables, and the passage with the figure between marks."""

    tables: str
    passage: str


@dataclass(frozen=True, slots=True)
class Opinion:
    """One panel model's opinion on one figure."""

    is_answerable: bool
    reasoning: str | None


def parse(reply: str) -> Opinion:
    """Read the verdict, from JSON or else from text, and its reasoning; see `read_option`."""
    verdict = read_option(reply, {rf"{UNANSWERABLE}|not\W+{ANSWERABLE}": False, ANSWERABLE: True})
    said = [text for each in objects(reply) if isinstance(text := each.get("reasoning"), str)]
    return Opinion(verdict, (said[-1] if said else reply).strip() or None)


_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "verdict": {"type": "string", "enum": [ANSWERABLE, UNANSWERABLE]},
    },
    "required": ["reasoning", "verdict"],
    "additionalProperties": False,
}

OPERATION: Operation[Inputs, Opinion] = Operation(
    name="answerability",
    template="faith/answerability",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=_SCHEMA,
)
