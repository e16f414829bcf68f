"""The operation that rates one pair on five criteria, 1 to 5.

Paper 000, "Question-Answer Pair Filtering".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.inference.replies import read_rating
from tasks.inference.schemas import REASON, closed, one_of

# The paper calls a pair high quality if it rates 4 or 5 on all criteria.
LOWEST_ACCEPTED = 4
_GRADE = one_of(1, 2, 3, 4, 5)

_CRITERION = re.compile(
    r"(?:^|[{,])\W*(?:[1-5][.)]\W*)?(?P<name>Relevance|Clarity|Complexity|Accuracy|Completeness)\b\W{1,6}"
    r"(?P<score>[1-5])(?= ?/ ?5\b| out of 5|\W*$|[*)\]]*\s?[,.;:(–—-](?!\d))",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Rated:
    """A pair's rating, and whether complexity alone brought it down."""

    value: int
    is_only_simple: bool = False


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: the company and its document, then one pair."""

    company: str
    context: str
    query: str
    answer: str


def parse(reply: str) -> Rated:
    """Read the pair's rating: the verdict, or a criterion's lower score; see `read_rating`."""
    verdict = read_rating(reply, 1, 5)
    scores = {found["name"].lower(): int(found["score"]) for found in _CRITERION.finditer(reply)}
    lowest = min([verdict, *scores.values()])
    others = [score for name, score in scores.items() if name != "complexity"]
    is_simple = scores.get("complexity", LOWEST_ACCEPTED) < LOWEST_ACCEPTED
    return Rated(lowest, is_simple and min(others, default=0) >= LOWEST_ACCEPTED)


OPERATION: Operation[Inputs, Rated] = Operation(
    name="rate_pair",
    template="failsafeqa/rating",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=1024),
    schema=closed(
        reason=REASON,
        relevance=_GRADE,
        clarity=_GRADE,
        complexity=_GRADE,
        accuracy=_GRADE,
        completeness=_GRADE,
        rating=_GRADE,
    ),
)
