"""The operation by which a panel says whether tables give a figure.

Paper 004, answerability annotation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.text.json_replies import json_values

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
    """Read the verdict of the reply's last JSON object that has one.

    Raises:
        ParseError: there is none, or it is neither answerable nor unanswerable.
    """
    found = [
        value for value in json_values(reply) if isinstance(value, dict) and "verdict" in value
    ]
    if not found:
        raise ParseError("the reply has no JSON object with a verdict")
    verdict = found[-1]["verdict"]
    if not isinstance(verdict, str) or verdict.strip().lower() not in (ANSWERABLE, UNANSWERABLE):
        raise ParseError("the verdict is neither answerable nor unanswerable")
    reasoning = found[-1].get("reasoning")
    return Opinion(
        verdict.strip().lower() == ANSWERABLE,
        reasoning.strip() if isinstance(reasoning, str) and reasoning.strip() else None,
    )


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
