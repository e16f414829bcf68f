"""The operation that rates one pair on five criteria, 1 to 5.

Paper 000, "Question-Answer Pair Filtering".
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.inference.replies import read_rating

# The paper calls a pair high quality if it rates 4 or 5 on all criteria.
LOWEST_ACCEPTED = 4


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: the context, then one pair."""

    context: str
    query: str
    answer: str


def parse(reply: str) -> int:
    """Read the pair's rating; see `read_rating`."""
    return read_rating(reply, 1, 5)


OPERATION: Operation[Inputs, int] = Operation(
    name="rate_pair",
    template="failsafeqa/rating",
    inputs=Inputs,
    parse=parse,
    is_verdict=True,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
)
