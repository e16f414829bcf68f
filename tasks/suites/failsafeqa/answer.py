"""The operation with which a model under test answers a case: from the document only, or not at all.

Paper 000: greedy decoding, at most 2,048 new tokens. The prompt keeps its structure where the context is missing.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Case, Sampling
from tasks.inference.operation import Operation, ParseError


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the prompt shows: the context's text, empty where it is missing, and the query."""

    context: str
    query: str

    @classmethod
    def of(cls, case: Case, context: str) -> Inputs:
        """Show a case: its query, and the text of its context, empty if it has none."""
        return cls(context=context, query=case.query)


def parse(reply: str) -> str:
    """The answer as it is, without outer blanks.

    Raises:
        ParseError: it is empty.
    """
    answer = reply.strip()
    if not answer:
        raise ParseError("the answer is empty")
    return answer


OPERATION: Operation[Inputs, str] = Operation(
    name="answer",
    template="failsafeqa/grounded",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=2048),
    may_be_cut=True,
)
