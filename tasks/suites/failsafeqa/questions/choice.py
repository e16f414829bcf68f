"""The operation that chooses a conversation's best standalone query.

Paper 000, "Query Generation", `filter`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError

_NUMBER = re.compile(r"\[\[\s*(\d+)\s*\]\]")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: the conversation's acceptable exchanges, numbered from 1."""

    conversation: str


def parse(reply: str) -> int:
    """Read the last number in double brackets.

    Raises:
        ParseError: there is none, or it is 0.
    """
    numbers = _NUMBER.findall(reply)
    if not numbers:
        raise ParseError("the reply holds no number in double brackets")
    if int(numbers[-1]) < 1:
        raise ParseError("exchanges are numbered from 1")
    return int(numbers[-1])


OPERATION: Operation[Inputs, int] = Operation(
    name="choose_query",
    template="failsafeqa/choice",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=256),
)
