"""Clauses of a sentence."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache

from tasks.text.sentences import Span

# Where a clause begins: what follows speaks of something else.
_CLAUSE = re.compile(
    r"[;:]|,\s(?:and|which|while|whereas|but|as|partially|resulting|reflecting|primarily|compared"
    r"|up|down)\b|\bwhile\b|\bwhereas\b|\bcompared\b|\bpartially\b|\boffset\b|\bdue to\b"
    r"|\bresult(?:ing|ed) (?:in|from)\b|\bwhich\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=64)
def clauses_of(text: str) -> tuple[Span, ...]:
    """Find the words with which clauses begin, in order; cached per sentence."""
    return tuple(Span(*found.span()) for found in _CLAUSE.finditer(text))


def n_clauses(text: str, start: int, end: int) -> int:
    """Count the clauses that begin between two places."""
    clauses = clauses_of(text)
    first = bisect_left(clauses, start, key=lambda clause: clause.start_char)
    last = bisect_right(clauses, end, key=lambda clause: clause.end_char)
    return max(0, last - first)
