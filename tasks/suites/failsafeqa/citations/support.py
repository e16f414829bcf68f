"""The operation that checks whether citations support an answer to a question."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError

_VERDICT = re.compile(r"\[\[\s*(yes|no)\s*\]\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs."""

    citations: str  # `Sanitised.citation_text`
    query: str
    answer: str


def read_verdict(reply: str) -> bool:
    """Read the last [[yes]] or [[no]] of a reply.

    Raises:
        ParseError: there is none.
    """
    verdicts = _VERDICT.findall(reply)
    if not verdicts:
        raise ParseError("the reply has neither [[yes]] nor [[no]]")
    return verdicts[-1].lower() == "yes"


OPERATION = Operation(
    name="check_support",
    template="failsafeqa/support",
    inputs=Inputs,
    parse=read_verdict,
    sampling=Sampling(temperature=0.0, max_tokens=256),
)
