"""The operation that rates one pair on five criteria, 1 to 5.

Paper 000, "Question-Answer Pair Filtering".
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.inference.replies import read_rating
from tasks.inference.schemas import REASON, closed, one_of
from tasks.text.json_replies import objects

# The paper calls a pair high quality if it rates 4 or 5 on all criteria.
LOWEST_ACCEPTED = 4
_GRADE = one_of(1, 2, 3, 4, 5)

_CRITERIA = ("relevance", "clarity", "complexity", "accuracy", "completeness")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: the company and its document, then one pair."""

    company: str
    context: str
    query: str
    answer: str


def parse(reply: str) -> int:
    """Read the pair's rating: the verdict, or a criterion's lower score; see `read_rating`."""
    names = {name for item in objects(reply) for name in _CRITERIA if name in item}
    return min([read_rating(reply, 1, 5), *(read_rating(reply, 1, 5, name) for name in names)])


OPERATION: Operation[Inputs, int] = Operation(
    name="rate_pair",
    template="failsafeqa/rating",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=closed(reason=REASON, **dict.fromkeys((*_CRITERIA, "rating"), _GRADE)),
)
