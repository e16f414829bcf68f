"""The operation by which a panel says whether tables give a figure.

Paper 004, answerability annotation.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.inference.replies import read_value
from tasks.inference.schemas import closed, one_of, text

ANSWERABLE = "answerable"
UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: tables, and the passage with the figure between marks."""

    tables: str
    passage: str


def parse(reply: str) -> bool:
    """Read whether a panel's model calls the figure answerable; see `read_value`."""
    return read_value(reply, "verdict", {ANSWERABLE: True, UNANSWERABLE: False})


OPERATION: Operation[Inputs, bool] = Operation(
    name="answerability",
    template="faith/answerability",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=closed(reasoning=text(400), verdict=one_of(ANSWERABLE, UNANSWERABLE)),
)
