"""Proof that two statements give different values for what is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.suites.refusalbench.proofs.derivable import sentences_of
from tasks.suites.refusalbench.proofs.numbers import (
    Number,
    agree,
    answer_places,
    asked_number,
    numbers_in,
)
from tasks.suites.refusalbench.rows import AskedFigure, BaseQuestion, LabelProof
from tasks.suites.refusalbench.strata import Intensity, PerturbationClass
from tasks.text.terms import content_terms, stem, words

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_WORD = re.compile(r"[A-Za-z]+(?:['’&.-][A-Za-z]+)*|\d[\d,.]*")
# An added sentence may have no other words than these and those of what is asked, so that nothing
# in it limits, doubts, corrects or moves what it states.
_PLAIN = words("""
    a an the of for in at as on to its our we and that this it has have had been was were is are
    with also same both another separate second different elsewhere own
    company company's management registrant
    report reports reported reporting state states stated show shows showed showing give gives
    record records recorded disclose discloses disclosed list lists listed put puts confirm
    confirms confirmed according
    filing filings statement statements note notes letter shareholders shareholder release press
    report annual page section document schedule account accounts basis period year fiscal ended
    end measure total totaled totalled amounted came reached stood equaled equalled exactly
    precisely only just
""")
# What comes right before a value that a sentence states.
_STATES = re.compile(
    r"(?:\b(?:was|were|is|are|been|totall?ed|amounted to|came to|reached|stood at|equall?ed)"
    r"(?: (?:exactly|precisely|only|just))?|\b(?:as|at|of)|:)\s\Z",
    re.IGNORECASE,
)
_EXCLUDES = re.compile(
    r",? (?:and|but) (?:(?:was|were|is|are) )?(?:not|never|at no time)\s\Z", re.IGNORECASE
)


def prove(
    base: BaseQuestion,
    perturbation_class: PerturbationClass,
    intensity: Intensity,
    query: str,
    passages: Sequence[str],
    lever: str | None = None,
) -> LabelProof | None:
    """Prove that the passages contradict themselves, if the asked figure is known."""
    asked = asked_number(base)
    if query != base.query or base.asked is None or asked is None:
        return None
    is_stated = False
    opposed: Number | None = None
    for text, passage in zip(passages, base.passages, strict=True):
        sentences, known = sentences_of(text), set(sentences_of(passage.text))
        is_stated |= passage.is_signal and any(
            answer_places(each, base.answers, asked) and each in known for each in sentences
        )
        if any(each not in sentences for each in known):
            return None  # something else was changed
        for sentence in sentences:
            if sentence in known:
                continue
            value = stated_value(sentence, base.asked, asked)
            if value is None or agree(value, asked):
                return None
            opposed = value
    if not is_stated or opposed is None:
        return None
    return LabelProof(
        kind="two_values",
        detail=f"{base.asked.measure}, {base.asked.period}: {asked.text} and {opposed.text}.",
    )


def stated_value(sentence: str, figure: AskedFigure, asked: Number) -> Number | None:
    """Return the value that a sentence states for a measure and period, and nothing else."""
    found = numbers_in(sentence)
    if len(found) == 2 and found[1].value == asked.value:
        before = sentence[: found[1].start_char]
        if exclusion := _EXCLUDES.search(before):
            sentence = sentence[: exclusion.start()] + sentence[found[1].end_char :]
            found = found[:1]
    if len(found) != 1 or found[0].family != asked.family:
        return None
    value = found[0]
    before, after = sentence[: value.start_char], sentence[value.end_char :]
    if not _STATES.search(before) or not value.value:
        return None
    said = f"{before} {after}"
    measure, company = set(content_terms(figure.measure)), set(content_terms(figure.company))
    if not measure <= set(content_terms(said)) or not company <= set(content_terms(said)):
        return None
    years = set(_YEAR.findall(figure.period))
    if not years <= set(_YEAR.findall(said)):
        return None
    own = f"{figure.company} {figure.measure} {figure.period} {figure.figure}"
    return value if _stems(said) <= _stems(own) | _stems(" ".join(_PLAIN)) else None


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word.rstrip(".,")) for word in _WORD.findall(text))
