"""The operation that makes a query one clear, standalone question (paper 000, "Query Generation", `rewrite`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError

_LABEL = re.compile(
    r"\A(?:re)?written (?:request|question|query)\s*:\s*|\A(?:question|query|request)\s*:\s*", re.IGNORECASE
)
_FENCE = re.compile(r"^```.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the prompt shows: the conversation, numbered, and the request of it that is to stand alone."""

    conversation: str
    query: str


def parse(reply: str) -> str:
    """The request: one line, without the quotation marks or the label that some models add.

    Raises:
        ParseError: the reply is empty, or has more than one line.
    """
    lines = [line.strip() for line in _FENCE.sub("", reply).splitlines() if line.strip()]
    if not lines:
        raise ParseError("the reply is empty")
    if len(lines) > 1:
        raise ParseError("the reply has more than one line")
    query = _LABEL.sub("", lines[0]).strip()
    if len(query) > 1 and query[0] + query[-1] in {'""', "''", "“”", "‘’"}:
        query = query[1:-1].strip()
    if not query:
        raise ParseError("the reply is empty")
    return query


OPERATION: Operation[Inputs, str] = Operation(
    name="rewrite_query",
    template="failsafeqa/rewriting",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=256),
)
