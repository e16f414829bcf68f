"""The operation that checks whether citations support an answer to a question."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.inference.replies import read_value
from tasks.inference.schemas import REASON, closed, one_of


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs."""

    citations: str  # `Sanitised.citation_text`
    query: str
    answer: str


def read_verdict(reply: str) -> bool:
    """Read whether a reply says yes; see `read_value`."""
    return read_value(reply, "verdict", {"yes": True, "no": False})


OPERATION = Operation(
    name="check_support",
    template="failsafeqa/support",
    inputs=Inputs,
    parse=read_verdict,
    sampling=Sampling(temperature=0.0, max_tokens=256),
    schema=closed(reason=REASON, verdict=one_of("yes", "no")),
)
