"""The operation by which a panel says whether tables give a figure.

Paper 004, answerability annotation.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.inference.replies import read_option
from tasks.inference.schemas import closed, one_of, text

ANSWERABLE = "answerable"
UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: tables, and the passage with the figure between marks."""

    tables: str
    passage: str


def parse(reply: str) -> bool:
    """Read whether a panel's model calls the figure answerable; see `read_option`."""
    return read_option(reply, {rf"{UNANSWERABLE}|not\W+{ANSWERABLE}": False, ANSWERABLE: True})


OPERATION: Operation[Inputs, bool] = Operation(
    name="answerability",
    template="faith/answerability",
    inputs=Inputs,
    parse=parse,
    is_verdict=True,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=closed(reasoning=text(400), verdict=one_of(ANSWERABLE, UNANSWERABLE)),
)
