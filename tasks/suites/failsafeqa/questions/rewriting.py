"""The operation that makes a query one clear, standalone question.

Paper 000, "Query Generation", `rewrite`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError

# How a reply starts that refuses, comments or answers instead of rewriting.
ANSWER_LIKE = re.compile(
    r"(?:the\s+)?answer\b\s*(?::|is\b)|(?:sure|certainly|of course)\b[,.!:]|here(?:'s| is)\b"
    r"|i (?:cannot|can't|am unable)\b|i'm (?:sorry|unable)\b|as an ai\b"
    r"|(?:rewritten|search) query\s*:",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\A(?:re)?written (?:request|question|query)\s*:\s*|\A(?:question|query|request)\s*:\s*",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^```.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The prompt's inputs: the numbered conversation, and its request to rewrite."""

    conversation: str
    query: str


def parse(reply: str) -> str:
    """Read the request: one line, without added quotation marks or label.

    Raises:
        ParseError: the reply is empty, has more than one line, or refuses.
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
    if ANSWER_LIKE.match(query):
        raise ParseError("the reply talks about the question or answers it")
    return query


OPERATION: Operation[Inputs, str] = Operation(
    name="rewrite_query",
    template="failsafeqa/rewriting",
    inputs=Inputs,
    parse=parse,
    sampling=Sampling(temperature=0.0, max_tokens=256),
)
