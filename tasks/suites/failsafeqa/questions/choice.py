"""The operation that chooses a conversation's best standalone query.

Paper 000, "Query Generation", `filter`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation
from tasks.inference.replies import read_rating
from tasks.inference.schemas import REASON, closed, one_of

MOST_EXCHANGES = 6  # of a conversation; the prompt of `dialogue` asks for as many
# What the prompt calls a pair of each task.
WANTED = {
    "qa": "a question for facts, figures or reasons",
    "tg": "a request to write, list, tabulate or summarise something",
}


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: the conversation's exchanges, numbered from 1, and what is wanted."""

    conversation: str
    wanted: str


def schema_of(n_exchanges: int) -> dict[str, Any]:
    """Return the schema of a reply that chooses one of these exchanges."""
    return closed(reason=REASON, number=one_of(*range(1, n_exchanges + 1)))


OPERATION: Operation[Inputs, int] = Operation(
    name="choose_query",
    template="failsafeqa/choice",
    inputs=Inputs,
    parse=partial(read_rating, lowest=1, highest=MOST_EXCHANGES, key="number"),
    sampling=Sampling(temperature=0.0, max_tokens=256),
    schema=schema_of(MOST_EXCHANGES),
)
