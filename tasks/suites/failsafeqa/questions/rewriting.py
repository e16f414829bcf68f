"""The operation that makes a query one clear, standalone question.

Paper 000, "Query Generation", `rewrite`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.inference.replies import read_text
from tasks.inference.schemas import closed, text

QUERY = closed(query=text(240))
NOT_KNOWN = "not known"  # of a company
_ANSWERS = re.compile(r"(?:the\s+)?answer\b\s*(?::|is\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: whose report it is, the conversation, its request to rewrite."""

    company: str
    conversation: str
    query: str


def parse(reply: str) -> str:
    """Read one rewritten query; see `read_text`.

    Raises:
        ParseError: the reply gives none, or answers the query.
    """
    query = read_text(reply, "query")
    if _ANSWERS.match(query):
        raise ParseError("the reply answers the query")
    return query


OPERATION: Operation[Inputs, str] = Operation(
    name="rewrite_query",
    template="failsafeqa/rewriting",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=256),
    schema=QUERY,
)
