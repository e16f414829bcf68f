"""The operations that find articles in a haystack, one for each placement of the instruction.

Paper 002, section 2.3 and appendix A.4: zero-shot, greedy, at most 100 new tokens. `single` asks
whether one article fits, so that a failure at length can be told from an unknown concept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tasks.core.rows import Case, Sampling
from tasks.inference.operation import Operation
from tasks.suites.longcontext.judge.readers import read_ids, read_verdict
from tasks.suites.longcontext.options import ANSWER_TOKENS

SINGLE = "single"


@dataclass(frozen=True, slots=True)
class HaystackInputs:
    """The prompt's inputs: the query and its concepts, and a haystack in two halves.

    Attributes:
        head: the start of the haystack, which the case's siblings share; without its last line
            break, which the template has.
        tail: the rest.
    """

    task: str
    definitions: str
    head: str
    tail: str

    @classmethod
    def of(cls, case: Case, context: str) -> HaystackInputs:
        """Show a case's query, and its haystack or its only article."""
        return cls.split(case.query, context, json.loads(case.details).get("head_chars", 0))

    @classmethod
    def split(cls, wording: str, text: str, head_chars: int) -> HaystackInputs:
        """Show a query's wording and a haystack whose first characters siblings share."""
        task, _, definitions = wording.partition("\n")
        head, tail = text[:head_chars], text[head_chars:]
        return cls(task, definitions, head.removesuffix("\n"), tail.removesuffix("\n"))


def _operation(placement: str) -> Operation[Any, Any]:
    return Operation(
        name=f"answer_{placement}",
        template=f"longcontext/{placement}",
        inputs=HaystackInputs,
        parse=read_verdict if placement == SINGLE else lambda reply: read_ids(reply, "strict"),
        sampling=Sampling(temperature=0.0, max_tokens=ANSWER_TOKENS),
        may_be_cut=True,
    )


# By variant of the case.
OPERATIONS = {
    name: _operation(name) for name in ("prepend", "append", "both", "best_practices", SINGLE)
}
