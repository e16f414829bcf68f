"""Proof that two statements give different values for what is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.quantities.figures import FULL_MONTHS
from tasks.suites.refusalbench.proofs.absent import derivations
from tasks.suites.refusalbench.proofs.derivable import sentences_of
from tasks.suites.refusalbench.proofs.numbers import (
    Number,
    agree,
    answer_places,
    asked_number,
    is_row,
    numbers_in,
)
from tasks.suites.refusalbench.rows import AskedFigure, BaseQuestion, LabelProof
from tasks.suites.refusalbench.strata import Intensity, PerturbationClass
from tasks.text.terms import content_terms, stem, words

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_POSSESSIVE = re.compile(r"['’]s?(?!\w)")
_WORD = re.compile(r"[A-Za-z]+(?:['’&.-][A-Za-z]+)*|\d[\d,.]*")
# An added sentence may have no other words than these and those of what is asked, so that nothing
# in it limits, doubts, corrects or moves what it states.
_PLAIN = words("""
    a an the of for in at as on by to its our we us and number that this it has have had been was
    were is are with also same both another separate second different elsewhere own
    company company's management registrant
    report reports reported reporting state states stated show shows showed showing give gives
    record records recorded disclose discloses disclosed list lists listed put puts confirm
    confirms confirmed according
    filing filings statement statements note notes letter shareholders shareholder release press
    report annual page section document schedule account accounts basis period year fiscal ended
    end measure total totaled totalled amounted came reached stood equaled equalled exactly
    precisely only just employed owned operated
""")
# What comes right before a value that a sentence states.
_STATES = re.compile(
    r"(?:\b(?:was|were|is|are|been|had|employed|owned|operated|totall?ed|amounted to|came to"
    r"|reached|stood at|equall?ed)"
    r"(?: (?:exactly|precisely|only|just))?|\b(?:as|at|of)|:)\s(?:U\.?S\.?\s?)?\Z",
    re.IGNORECASE,
)
# A sentence that only says that two values exclude each other.
_EITHER = re.compile(r"\beither\s\Z", re.IGNORECASE)
_NEVER_BOTH = re.compile(r",? (?:and |but )?(?:never|not) both(?= |\.|\Z)")
_SELF = re.compile(r"\b(?:our|we|us|the Company(?:'s)?)\b", re.IGNORECASE)
# The date of a source, which is no period of a figure.
_SOURCE_DATE = re.compile(
    rf"\b(?:reports?|letter|statement|release)(?: to (?:the )?shareholders)? (?:of|dated)"
    rf" (?:{FULL_MONTHS}) (?:\d{{1,2}}, )?((?:19|20)\d\d)\b"
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
    if asked.family == "amount" and not asked.currency and asked.value < 10:
        return None  # so few that the text may name each of them
    is_stated = False
    opposed: Number | None = None
    excluded: Number | None = None
    for text, passage in zip(passages, base.passages, strict=True):
        sentences, known = sentences_of(text), set(sentences_of(passage.text))
        head = text.partition("\n")[0]
        is_own = head.startswith("[") and base.asked.company in head
        is_stated |= passage.is_signal and any(
            answer_places(each, base.answers, asked) and each in known for each in sentences
        )
        if any(each not in sentences for each in known):
            return None  # something else was changed
        for sentence in sentences:
            if sentence in known:
                continue
            pair = _excluded(sentence, base.asked, asked, is_own)
            if pair is not None:
                excluded = pair
                continue
            value = stated_value(sentence, base.asked, asked, is_own)
            if value is None or (agree(value, asked) and value.value != asked.value):
                return None
            if value.value != asked.value:
                if opposed is not None and opposed.value != value.value:
                    return None
                opposed = value
    if not is_stated or opposed is None:
        return None
    if excluded is not None and excluded.value != opposed.value:
        return None
    if lever == "Mutual Exclusion Claim" and excluded is None:
        return None
    if _is_settled(base, asked, opposed, is_part=intensity == "medium"):
        return None
    return LabelProof(
        kind="two_values",
        detail=f"{base.asked.measure}, {base.asked.period}: {asked.text} and {opposed.text}.",
    )


def _is_settled(base: BaseQuestion, asked: Number, opposed: Number, is_part: bool) -> bool:
    """Whether the asked figure follows from others of its passage, so that it must be right.

    Args:
        is_part: whether to look for a larger figure, too, of which it may be a part.
    """
    low, high = sorted((asked.value, opposed.value))
    for passage in base.passages:
        if not passage.is_signal:
            continue
        rest = passage.text
        for start, end in reversed(answer_places(rest, base.answers, asked)):
            rest = rest[:start] + rest[end:]
        if next(derivations(rest, asked, is_whole=False), None):
            return True
        for sentence in sentences_of(passage.text):
            if answer_places(sentence, base.answers, asked) and not is_row(sentence):
                others = (each for each in numbers_in(sentence) if each.family == asked.family)
                is_between = any(low < each.value < high for each in others)
                if is_part and asked.family == "amount" and is_between:
                    return True
    return False


def _excluded(sentence: str, figure: AskedFigure, asked: Number, is_own: bool) -> Number | None:
    """Return the value beside the asked one in `either one or the other, and never both`."""
    bare = _NEVER_BOTH.sub("", sentence, count=1)
    found = numbers_in(bare)
    if bare == sentence or len(found) != 2 or asked.value not in (found[0].value, found[1].value):
        return None
    first, second = found
    start = _EITHER.search(bare[: first.start_char])
    if start is None or bare[first.end_char : second.start_char].strip() != "or":
        return None
    other = second if first.value == asked.value else first
    if other.value == asked.value:
        return None
    said = bare[: start.start()] + other.text + bare[second.end_char :]
    return other if stated_value(said, figure, asked, is_own) else None


def stated_value(
    sentence: str, figure: AskedFigure, asked: Number, is_own: bool = False
) -> Number | None:
    """Return the value that a sentence states for a measure and period, and nothing else.

    Args:
        is_own: whether the passage's head names the company, so that `our` is the company's.
    """
    years = set(_YEAR.findall(figure.period))
    dated = _SOURCE_DATE.search(sentence)
    if dated and years and dated[1] > max(years):
        sentence = sentence[: dated.start()] + "report" + sentence[dated.end() :]
    found = numbers_in(sentence)
    if len(found) != 1 or found[0].family != asked.family:
        return None
    value = found[0]
    before, after = sentence[: value.start_char], sentence[value.end_char :]
    if not _STATES.search(before) or not value.value:
        return None
    if value.currency and asked.currency and value.currency != asked.currency:
        return None
    said = f"{before} {after}"
    measure, company = set(content_terms(figure.measure)), set(content_terms(figure.company))
    is_named = company <= set(content_terms(said)) or (is_own and _SELF.search(said))
    if not measure <= set(content_terms(said)) or not is_named:
        return None
    if not years <= set(_YEAR.findall(said)):
        return None
    own = f"{figure.company} {figure.measure} {figure.period} {figure.figure}"
    return value if _stems(said) <= _stems(own) | _stems(" ".join(_PLAIN)) else None


def _stems(text: str) -> frozenset[str]:
    bare = _POSSESSIVE.sub("", text)
    return frozenset(stem(word.rstrip(".,")) for word in _WORD.findall(bare))
