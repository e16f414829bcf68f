"""The role of a figure in a sentence: level, change or share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from tasks.text.sentences import Span

Role = Literal["level", "change", "share"]

_UP = (
    r"increas(?:e[sd]?|ing)|grew|grow(?:th|ing|n)?|rose|ris(?:e[sn]?|ing)|up|higher"
    r"|improve(?:d|ment|s)?|gained|expan(?:ded|sion)|additional|incremental|greater|more|favorable"
)
_DOWN = (
    r"decreas(?:e[sd]?|ing)|declin(?:e[sd]?|ing)|fell|fall(?:en|ing)?|drop(?:ped|s)?|down|lower"
    r"|reduc(?:ed?|es|tion|tions|ing)|less|contract(?:ed|ion)|fewer|unfavorable"
)
_FILL = (
    r"(?:\s+(?:by|of|about|approximately|nearly|almost|over|an?|another|roughly|only|the|was|were"
    r"|or|operational|the\s+equivalent\s+of))*"
)
_NOUN = (
    r"(?:increases?|decreases?|declines?|growth|reductions?|change|changes|improvement|rise|drop"
    r"|variance)"
)
_JUST_CHANGED = re.compile(
    rf"\b(?P<up>{_UP})\b{_FILL}\s*\(?\Z|\b(?P<down>{_DOWN})\b{_FILL}\s*\(?\Z",
    re.IGNORECASE,
)
_CHANGED_NOUN = re.compile(
    rf"\b(?P<noun>{_NOUN})\s+(?:in|to|for|from)\s+(?P<what>[^.;:,]{{3,110}}?)\s+(?:of|by|was|were|totaled|is)\s*(?:approximately|about)?\s*\Z",
    re.IGNORECASE,
)
_CHANGED_KIND = re.compile(
    r"\b(?:(?P<up>higher|incremental|increased|additional|greater)|(?P<down>lower|decreased|reduced|fewer))\s+(?P<what>[^.;:,]{3,90}?)\s+of\s*(?:approximately|about)?\s*\Z",
    re.IGNORECASE,
)
_CHANGED_VERB = re.compile(
    r"\b(?P<verb>increased|decreased|grew|rose|declined|fell|dropped|improved|was up|were up"
    r"|was down)\b(?P<what>[^.;:]{0,60}?)\s+by\s*(?:approximately|about)?\s*\Z",
    re.IGNORECASE,
)
_CHANGE_AFTER = re.compile(
    rf"\A\)?\s*(?:(?!(?:and|or|to|from|of|in|with|while|due|despite|compared|respectively)\b)[\w-]+\s+){{0,3}}?(?P<word>{_UP}|{_DOWN}|changes?)\b",
    re.IGNORECASE,
)
_TO_NEXT = re.compile(rf"{_FILL}\s*\(?", re.IGNORECASE)
_LISTED = re.compile(r"\)?,?\s*(?:and|or)?\s*")
_SHARE_AFTER = re.compile(r"\A\)?\s*(?:\([^)]*\)\s*)?of\s+(?!fiscal|the year|20|19)", re.IGNORECASE)
_SHARE_BEFORE = re.compile(
    r"\b(?:as\s+an?\s+(?:percentage|percent|%)\s+(?:of|to)|represent\w*|account\w*\s+for|compris\w*|constitut\w*)\b[^.;]{0,80}\Z",
    re.IGNORECASE,
)


def role_of(text: str, at: Span, others: Sequence[Span]) -> tuple[Role, int]:
    """Decide a figure's role beside the others, and its direction: 1 up, -1 down, 0 unsaid."""
    left, right = text[: at.start_char], text[at.end_char :]
    tail = left[-160:]
    if found := _JUST_CHANGED.search(tail):
        return "change", 1 if found["up"] else -1
    found = _CHANGE_AFTER.match(right)
    if found and not _is_of_next(text, at.end_char + found.end(), others):
        return "change", _direction(found["word"])
    if _SHARE_AFTER.match(right) or _SHARE_BEFORE.search(tail):
        return "share", 0
    # a change word before another figure is that one's
    tail = since_last(left, others)[-160:]
    if found := _CHANGED_NOUN.search(tail):
        return "change", _direction(found["noun"])
    if found := _CHANGED_KIND.search(tail):
        return "change", 1 if found["up"] else -1
    if found := _CHANGED_VERB.search(tail):
        return "change", _direction(found["verb"].split()[-1])
    listed = [
        other
        for other in others
        if other.end_char <= at.start_char
        and _LISTED.fullmatch(text[other.end_char : at.start_char])
    ]
    if listed:
        return role_of(
            text,
            listed[-1],
            [other for other in others if other.end_char < listed[-1].start_char],
        )
    return "level", 0


def since_last(left: str, others: Sequence[Span]) -> str:
    """Return the words since the last of other figures."""
    ends = (other.end_char for other in others if other.end_char <= len(left))
    return left[max(ends, default=0) :]


def _is_of_next(text: str, end: int, others: Sequence[Span]) -> bool:
    """Check whether a change that ends here is the next figure's: `[MASK] increased 2%`."""
    return any(
        _TO_NEXT.fullmatch(text[end : other.start_char])
        for other in others
        if other.start_char >= end
    )


def _direction(word: str) -> int:
    word = word.lower()
    if word.startswith(("chang", "varianc")):
        return 0
    return 1 if re.fullmatch(_UP, word) else -1
