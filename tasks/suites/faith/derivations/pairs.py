"""Things that a sentence relates: part and whole, larger and smaller, addends."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.suites.faith.derivations.roles import Role
from tasks.suites.shared.tables.words import term_set
from tasks.text.sentences import Span

_END = (
    r"(?=\s+(?:was|were|is|are|in|for|during|at|as|compared|from|to|by|increased|decreased|improved"
    r"|declined|which|and)\b|[,.;:()]|\Z)"
)
_AS_PERCENTAGE = re.compile(
    rf"(?P<one>[^.;:]{{3,80}}?)(?:,?\s+(?:expressed\s+)?as\s+an?\s+(?:percentage|percent|%)\s+(?:of|to)\s+)(?P<other>[^.;:]{{3,70}}?){_END}",
    re.IGNORECASE,
)
_RATIO = re.compile(
    rf"\bratios?\s+of\s+(?P<one>[^.;:,]{{3,60}}?)\s+to\s+(?P<other>[^.;:,]{{3,60}}?){_END}",
    re.IGNORECASE,
)
_OF_WHOLE = re.compile(
    rf"\)?\s+of\s+(?:our\s+|the\s+|its\s+|Company.s\s+)*(?P<other>[^.;:]{{3,70}}?){_END}",
    re.IGNORECASE,
)
_EXCEEDED = re.compile(
    r"(?P<one>[^.;:,]{3,70}?)\s+exceeded\s+(?P<other>[^.;:,]{3,70}?)\s+by\s+(?:approximately\s+|about\s+)?\Z",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\b(?:difference|gap|spread)\s+between\s+(?P<one>[^.;:,]{3,60}?)\s+and\s+(?P<other>[^.;:,]{3,60}?)\s+(?:was|were|is|of)\s+\Z",
    re.IGNORECASE,
)
_ADDED = re.compile(
    r"(?:\A|[.;:]\s)(?P<listed>[^.;:]{8,150}?),?\s+"
    r"(?:(?:(?:together|combined|collectively|in (?:the )?aggregate)\s+)(?:was|were|totaled)"
    r"|totaled)\s+(?:approximately\s+|about\s+)?\Z",
    re.IGNORECASE,
)
_TOTAL_OF = re.compile(
    r"\b(?:total|combined)\s+(?P<listed>[^.;:,]{3,60}?\s(?:and|plus)\s[^.;:,]{3,60}?)"
    r"(?:\s+(?:for|in|during)\s+[^.;:,]{3,40}?)?\s+(?:was|were|of)\s+(?:approximately\s+|about\s+)?\Z",
    re.IGNORECASE,
)
_TOTAL_CHANGED = re.compile(
    r"\b(?:total|combined)\s+(?P<listed>[^.;:,]{3,60}?\s(?:and|plus)\s[^.;:,]{3,60}?)"
    r"(?:\s+(?:for|in|during)\s+[^.;:,]{3,40}?)?\s+(?:was|were|of|increased|decreased|declined|grew|rose|fell)\b[^;:]{0,60}\Z",
    re.IGNORECASE,
)
_LISTED = re.compile(r",\s*(?:and\s+)?|\s+and\s+|\s+plus\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pair:
    """The terms of two things that a sentence relates."""

    one: frozenset[str]
    other: frozenset[str]
    is_share: bool  # whether the figure is what part the one is of the other


def pair_of(text: str, at: Span, role: Role, phrase: frozenset[str]) -> Pair | None:
    """Find the two things that a sentence relates by the figure."""
    left = text[: at.start_char]
    for pattern in (_EXCEEDED, _BETWEEN):
        if found := pattern.search(left):
            return _pair(found["one"], found["other"], is_share=False)
    for pattern in (_AS_PERCENTAGE, _RATIO):
        if found := pattern.search(left):
            return _pair(found["one"], found["other"], is_share=True)
    if role == "share" and (found := _OF_WHOLE.match(text, at.end_char)):
        other = term_set(found["other"])
        return Pair(phrase - other, other, True) if phrase - other and other else None
    return None


def added_by(text: str, at: Span, role: Role) -> tuple[frozenset[str], ...]:
    """Find the terms of each thing whose sum, or its change, is the figure; () if there is none."""
    left = text[: at.start_char]
    found = (
        _TOTAL_CHANGED.search(left)
        if role == "change"
        else _ADDED.search(left) or _TOTAL_OF.search(left)
    )
    listed = [term_set(piece) for piece in _LISTED.split(found["listed"])] if found else []
    return tuple(listed) if len(listed) > 1 and all(listed) else ()


def _pair(one: str, other: str, *, is_share: bool) -> Pair | None:
    terms = term_set(one), term_set(other)
    return Pair(*terms, is_share) if all(terms) else None
