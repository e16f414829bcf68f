"""The operation that chooses a conversation's best standalone query.

Paper 000, "Query Generation", `filter`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.inference.replies import read_number


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: the conversation's acceptable exchanges, numbered from 1."""

    conversation: str


def parse(reply: str) -> int:
    """Read the number of the one exchange that a reply chooses; see `read_number`."""
    return read_number(reply, "exchange|request|question|query")


OPERATION: Operation[Inputs, int] = Operation(
    name="choose_query",
    template="failsafeqa/choice",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=256),
)
