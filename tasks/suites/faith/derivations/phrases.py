"""The words that name a figure: its phrase and the words near it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.suites.faith.derivations.periods import list_of
from tasks.suites.faith.derivations.roles import since_last
from tasks.suites.shared.tables.words import term_set, terms_of
from tasks.text.sentences import Span

_STOP = (
    r"(?:in|during|for|from|to|compared|as|by|at|and|or|with|on|which|that|due|primarily|related"
    r"|was|were|is|are|when|per|between|versus|over)"
)
# `a [MASK] loss on disposal`, `[MASK] operational growth`: the words right after name it.
_ARTICLE = re.compile(
    r"\b(?:an?|the|our|this|these|of|approximately|to)\s+(?:\w+\s+)?\(?\Z",
    re.IGNORECASE,
)
_NAMED_AFTER = re.compile(
    rf"\)?\s+(?!{_STOP}\b|of\b)(?P<what>[A-Za-z][^.,;:()]*?)(?=\s+{_STOP}\b|[.,;:()]|\Z)",
    re.IGNORECASE,
)
_CHANGE_IN = re.compile(
    r"\)?\s*(?:[\w-]+\s+){0,3}?(?:increase|decrease|decline|growth|reduction|rise|drop|improvement|change)s?\s+in\s+(?:the\s+)?"
    r"(?P<what>[^.,;:()]{3,90}?)(?=\s+(?:in\s+(?:19|20)|during|for|from|compared|as|by|due|primarily|that|which|was|were|partially|more)\b|[.,;:()]|\Z)",
    re.IGNORECASE,
)
# `interest expense of [MASK]`
_NAMED_BEFORE = re.compile(
    r"\s(?:of|by)\s+(?:an?\s+|the\s+|approximately\s+|about\s+|nearly\s+)*\(?\Z"
)
_LEFT_EDGE = re.compile(
    r"[;:,•]|\band\s+(?=(?:higher|lower|increased|decreased|reduced|fewer)\b)|\b(?:was|were|is|are|had|has|have|by|to|included|includes|reflect\w*|with|from|recorded|incurred|recognized|"
    r"offset|due|which|that|driven|attributable|represents?|received|consisting)\b",
    re.IGNORECASE,
)
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_PIECES = re.compile(r",\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+")

# Weight of another figure's words.
_OF_ANOTHER = 0.45


def phrase_of(text: str, at: Span, others: Sequence[Span]) -> tuple[frozenset[str], bool]:
    """Find the terms of the phrase that names a figure, and whether it surely does."""
    mates = list_of(text, at, others)
    in_order = mates and _RESPECTIVELY.search(text, at.end_char)
    if in_order and (piece := _piece_in_order(text, at, mates, others)):
        return term_set(piece), True
    if found := _CHANGE_IN.match(text, at.end_char):
        return term_set(found["what"]), True
    left = text[: at.start_char]
    found = _NAMED_AFTER.match(text, at.end_char) if _ARTICLE.search(left) else None
    if found and (terms := term_set(found["what"])):
        return terms, True
    if found := _NAMED_BEFORE.search(left):
        before = left[max(0, found.start() - 110) : found.start()]
        edge = max((match.end() for match in _LEFT_EDGE.finditer(before)), default=0)
        if terms := term_set(before[edge:]):
            return terms, True
    return term_set(_since_figure(left, others)), False


def nearness(at: Span, place: int, others: Sequence[Span]) -> float:
    """Weigh how near a word is to a figure, up to 1, less across other figures."""
    first, last = sorted((at.start_char, place))
    crossed = sum(first < other.start_char < last for other in others)
    return 0.85**crossed * max(0.4, 1 - (last - first) / 400)


def weighed(
    text: str, at: Span, others: Sequence[Span], phrase: frozenset[str]
) -> dict[str, float]:
    """Weigh how far a sentence's terms speak of a figure, 0 to 1."""
    elsewhere: set[str] = set()
    for other in others:
        terms, is_theirs = phrase_of(
            text, other, [at, *(place for place in others if place != other)]
        )
        if is_theirs:
            elsewhere |= terms - phrase
    weights: dict[str, float] = {}
    for word in re.finditer(r"\S+", text):
        if at.start_char <= word.start() < at.end_char:
            continue
        near = nearness(at, word.start(), others)
        for term in terms_of(word[0]):
            weight = near * (_OF_ANOTHER if term in elsewhere else 1.0)
            weights[term] = max(weights.get(term, 0.0), 1.0 if term in phrase else weight)
    return weights


def _since_figure(left: str, others: Sequence[Span]) -> str:
    """Find the words before a figure, back to the nearest other one that leaves it a name."""
    stops = sorted((0, *(other.end_char for other in others if other.end_char <= len(left))))
    return next((left[stop:] for stop in reversed(stops) if terms_of(left[stop:])), left)


def _piece_in_order(
    text: str, at: Span, mates: Sequence[Span], others: Sequence[Span]
) -> str | None:
    """Find a figure's name by its place in two lists: `A and B were $1 and $2, respectively`."""
    names = since_last(text[: mates[0].start_char], others)
    pieces = [piece for piece in _PIECES.split(names) if terms_of(piece)]
    return pieces[-len(mates) :][mates.index(at)] if len(pieces) >= len(mates) else None
