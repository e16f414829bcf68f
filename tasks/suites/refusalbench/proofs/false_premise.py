"""Proof that a query takes for granted what the passages contradict or do not know."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.suites.refusalbench.proofs.numbers import agree, asked_number, numbers_in
from tasks.suites.refusalbench.rows import BaseQuestion, LabelProof
from tasks.suites.refusalbench.strata import Intensity, PerturbationClass
from tasks.text.terms import STOP_WORDS, content_terms, stem, words

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_POSSESSIVE = re.compile(r"['’]s?(?!\w)")
_WORD = re.compile(r"[A-Za-z]+(?:['’&.-][A-Za-z]+)*|\d[\d,.]*")
# A query that takes a value for granted has no other words than these and those of what is asked.
_PLAIN = words("""
    why how what which who did do does was were is are has have had made make led caused explain
    explains explained reason reasons drove come came reach reached amount amounted total totaled
    totalled stand stood fall fell drop dropped rise rose climb climbed be the a an of for in at as
    to on its their it only just low high little much and that by end year ended fiscal report
    reported reporting management company company's despite fact so during happen happened regret
    from     disappoint disappointed please pleased surprise surprised part share portion percentage
    proportion many
""")
_ASKS_WHY = re.compile(
    r"(?:why (?:did|do|does|was|were|is|are|has|have)\b"
    r"|what (?:made|led|caused|drove|explains?|explained)\b"
    r"|how come\b|which reasons?\b|who (?:made|caused)\b)",
    re.IGNORECASE,
)
_TAKES_VALUE = re.compile(
    r"\b(?:to|at|of|was|were|be|reach(?:ed)?|total(?:led|ed)?|only|just|amount(?:ed)? to)\s\Z",
    re.IGNORECASE,
)
# `Why did X report no net sales in 2008?`
_NONE = re.compile(
    r"\b(?:have|report|earn|record|state|disclose|show) (?:no|zero|not any) (?P<what>[^?]+)\?",
    re.IGNORECASE,
)
# A part of the company that the query asks about, as if it existed.
_PART = re.compile(
    r"\b(?:did|does|of|from|in)\s"
    r"(?:its|their|the company['’]s|(?:[\w&.-]+\s){0,4}[\w&.-]+(?:['’]s|s['’]))\s"
    r"(?P<name>(?:[\w&-]+\s){1,4}?)"
    r"(?P<kind>product line|division|segment|subsidiary|business unit|brand)\b",
)
_ASKS_OF_PART = re.compile(
    r"(?:how much|how many|what (?:part|share|portion|percentage|proportion)|what (?:was|were)"
    r"|which part)\b",
    re.IGNORECASE,
)
# What no measure of a filing can have or do.
_IMPOSSIBLE = re.compile(
    r"(?:what colou?r (?:did|do|does|was|were|is|are) (?P<a>.+?)(?: have(?P<b> .+)?)?"
    r"|what (?:is|was) the (?:blood type|zodiac sign|shoe size|mother tongue) of (?P<c>.+)"
    r"|whom did (?P<d>.+) marry(?P<e> .+)?|what did (?P<f>.+) dream of(?P<g> .+)?)\?",
    re.IGNORECASE,
)


def prove(
    base: BaseQuestion,
    perturbation_class: PerturbationClass,
    intensity: Intensity,
    query: str,
    passages: Sequence[str],
    lever: str | None = None,
) -> LabelProof | None:
    """Prove that a premise of the query is false, if the passages are the base question's."""
    if query == base.query or [passage.text for passage in base.passages] != list(passages):
        return None
    detail = (
        _contradicted(base, query, passages)
        or _denied(base, query)
        or _unknown_part(base, query, passages)
        or _impossible(base, query)
    )
    return LabelProof(kind="false_premise", detail=detail) if detail else None


def _is_about(base: BaseQuestion, query: str) -> bool:
    """Whether a query names the measure, and the period's years and no other."""
    if base.asked is None:
        return False
    terms = set(content_terms(query))
    return set(content_terms(base.asked.measure)) <= terms and set(_YEAR.findall(query)) == set(
        _YEAR.findall(base.asked.period)
    )


def _is_plain(base: BaseQuestion, said: str) -> bool:
    """Whether a text has only plain words and those of what is asked."""
    assert base.asked is not None  # the caller checked it
    own = f"{base.asked.company} {base.asked.measure} {base.asked.period} {' '.join(_PLAIN)}"
    return _stems(said) <= _stems(own)


def _stems(text: str) -> frozenset[str]:
    bare = _POSSESSIVE.sub("", text)
    return frozenset(stem(word.rstrip(".,")) for word in _WORD.findall(bare))


def _contradicted(base: BaseQuestion, query: str, passages: Sequence[str]) -> str | None:
    """Find a value that the query takes for granted and the passages state otherwise."""
    asked, found = asked_number(base), numbers_in(query)
    if asked is None or len(found) != 1 or not _ASKS_WHY.match(query) or not _is_about(base, query):
        return None
    value = found[0]
    before, after = query[: value.start_char], query[value.end_char :]
    if value.family != asked.family or not _TAKES_VALUE.search(before):
        return None
    if not _is_plain(base, f"{before} {after}"):
        return None
    if agree(value, asked) or any(
        agree(each, value) for text in passages for each in numbers_in(text)
    ):
        return None
    return f"The query takes {value.text} for granted; the passages state {asked.text}."


def _denied(base: BaseQuestion, query: str) -> str | None:
    """Find a denial of what the passages state a value of."""
    asked, found = asked_number(base), _NONE.search(query)
    if asked is None or not asked.value or found is None or numbers_in(query):
        return None
    said = query[: found.start()] + found["what"]
    if (
        not _ASKS_WHY.match(query)
        or not _is_about(base, found["what"])
        or not _is_plain(base, said)
    ):
        return None
    return f"The query takes for granted that there was none; the passages state {asked.text}."


def _unknown_part(base: BaseQuestion, query: str, passages: Sequence[str]) -> str | None:
    """Find a part of the company of which no passage has a word."""
    found = _PART.search(query)
    if found is None or not _ASKS_OF_PART.match(query):
        return None
    before = query[: found.start("name")]
    if "," in before or base.asked is None or not _is_plain(base, before):
        return None
    name = [word for word in found["name"].split() if word.lower() not in STOP_WORDS]
    texts = [*passages, base.query]
    terms = set(content_terms(" ".join(texts)))
    if not name or any(stem(part) in terms for word in name for part in re.split(r"\W", word)):
        return None
    initials = "".join(word[0] for word in found["name"].split()).upper()
    kind = "".join(word[0] for word in found["kind"].split()).upper()
    acronyms = {initials, initials + kind, initials + "G", initials + "D"} - {name[0][0].upper()}
    if any(re.search(rf"\b{each}\b", text) for each in acronyms if len(each) > 1 for text in texts):
        return None
    return f"The query names a {found['kind']} of which no passage has a word: {' '.join(name)}."


def _impossible(base: BaseQuestion, query: str) -> str | None:
    """Find what no measure of a filing can have or do."""
    found = _IMPOSSIBLE.fullmatch(query)
    if found is None or base.asked is None:
        return None
    subject = " ".join(part for part in found.groups() if part)
    if not _is_about(base, subject) or not _is_plain(base, subject):
        return None
    return f"The query asks of {base.asked.measure} what no measure has or does."
