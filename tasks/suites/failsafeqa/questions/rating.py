"""The operation that rates one pair on five criteria, 1 to 5.

Paper 000, "Question-Answer Pair Filtering".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError

# The paper calls a pair high quality if it rates 4 or 5 on all criteria.
LOWEST_ACCEPTED = 4

_VERDICT = re.compile(r"\[\[\s*(\d+)\s*\]\]")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: the context, then one pair."""

    context: str
    query: str
    answer: str


def parse(reply: str) -> int:
    """Read the last number in double brackets.

    Raises:
        ParseError: there is none, or it is not from 1 to 5.
    """
    verdicts = _VERDICT.findall(reply)
    if not verdicts:
        raise ParseError("the reply holds no rating in double brackets")
    rating = int(verdicts[-1])
    if not 1 <= rating <= 5:
        raise ParseError(f"the rating {rating} is not from 1 to 5")
    return rating


OPERATION: Operation[Inputs, int] = Operation(
    name="rate_pair",
    template="failsafeqa/rating",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
)
