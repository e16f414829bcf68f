"""Proof that two statements give different values for what is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from tasks.quantities.figures import FULL_MONTHS
from tasks.suites.refusalbench.proofs.absent import derivations
from tasks.suites.refusalbench.proofs.derivable import sentences_of
from tasks.suites.refusalbench.proofs.facts import Fact, fact_of, is_said
from tasks.suites.refusalbench.proofs.numbers import (
    Number,
    agree,
    answer_places,
    asked_number,
    is_row,
    numbers_in,
)
from tasks.suites.refusalbench.proofs.slots import has_only
from tasks.suites.refusalbench.rows import AskedFigure, BaseQuestion, LabelProof
from tasks.suites.refusalbench.strata import Intensity
from tasks.suites.shared.phrases import YEAR
from tasks.text.terms import content_terms, words

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
_EITHER = re.compile(
    r"(?P<before>.*)\beither (?P<one>.+) or (?P<other>.+?),? (?:and |but )?(?:never|not) both"
    r"(?P<after>| .*|\..*)",
    re.DOTALL,
)
_SELF = re.compile(r"\b(?:our|we|us|the Company(?:'s)?)\b", re.IGNORECASE)
# A source of equal standing, and its date, which is no period of a figure.
_DATE = rf"(?P<month>{FULL_MONTHS}) (?:(?P<day>\d{{1,2}}), )?(?P<year>(?:19|20)\d\d)\b"
_SOURCE_DATE = re.compile(
    r"\b(?:reports?|letter|statement|release)(?: to (?:the )?shareholders)? (?:of|dated) " + _DATE
)
_SOURCE = re.compile(
    r"(?:Elsewhere, )?(?:[Tt]his|[Oo]ur|[Tt]he(?: [Cc]ompany's)?) "
    r"(?:annual report(?: to shareholders)?|(?:records|minutes) of the Board of Directors)"
    r" (?:also )?(?:states?|records?|shows?) that "
)
_MONTHS = FULL_MONTHS.split("|")


def prove(
    base: BaseQuestion,
    query: str,
    passages: Sequence[str],
    intensity: Intensity,
    lever: str | None = None,
) -> LabelProof | None:
    """Prove that the passages contradict themselves, if it is known what is asked.

    At medium, nothing else in the text may say which of the two values holds.
    """
    added = _added(base, passages)
    if query != base.query or not added:
        return None
    if lever == "Mutual Exclusion Claim" and not any(map(_EITHER.fullmatch, added)):
        return None
    fact = fact_of(base)
    pair = _of_fact(base, fact, passages, added) if fact else _of_figure(base, passages, added)
    if pair is None or (intensity == "medium" and _is_settled(base, pair[1])):
        return None
    about = f"{base.asked.measure}, {base.asked.period}" if base.asked else base.query
    return LabelProof(kind="two_values", detail=f"{about}: {pair[0]} and {pair[1]}.")


def _added(base: BaseQuestion, passages: Sequence[str]) -> dict[str, str] | None:
    """Return each added sentence with its passage's head; None if something else was changed."""
    found: dict[str, str] = {}
    for text, passage in zip(passages, base.passages, strict=True):
        sentences, known = sentences_of(text), set(sentences_of(passage.text))
        if not known.issubset(sentences):
            return None
        head = text.partition("\n")[0] if text.startswith("[") else ""
        found |= {each: head for each in sentences if each not in known}
    return found


def _of_fact(
    base: BaseQuestion, fact: Fact, passages: Sequence[str], added: Mapping[str, str]
) -> tuple[str, str] | None:
    """Return the answer and the one other value that added statements give."""
    if not is_said(base, fact, passages):
        return None
    opposed: set[str] = set()
    stated: set[str] = set()
    for sentence in added:
        bare = _SOURCE.sub("", sentence, count=1).removesuffix(".")
        either = _EITHER.fullmatch(bare)
        if either:
            pair = {either["one"], either["other"]}
            bare = f"{either['before']}{either['one']}{either['after']}"
            opposed |= pair - {fact.answer}
        values = list(fact.values_in(bare))
        if len(values) != 1 or (either and fact.answer not in pair):
            return None
        stated |= set() if either else {values[0]}
    opposed |= stated - {fact.answer}
    if len(opposed) != 1 or not opposed <= stated or not all(map(fact.excludes, opposed)):
        return None
    return fact.answer, opposed.pop()


def _of_figure(
    base: BaseQuestion, passages: Sequence[str], added: Mapping[str, str]
) -> tuple[str, str] | None:
    """Return the asked figure and the one other value that added statements give."""
    asked, figure = asked_number(base), base.asked
    if figure is None or asked is None:
        return None
    if asked.family == "amount" and not asked.currency and asked.value < 10:
        return None  # so few that the text may name each of them
    stated: dict[Decimal, Number] = {}
    excluded: list[Number] = []
    for sentence, head in added.items():
        pair = _excluded(sentence, figure, asked, head)
        value = pair or stated_value(sentence, figure, asked, head)
        if value is None or (agree(value, asked) and value.value != asked.value):
            return None
        if pair:
            excluded.append(pair)
        elif value.value != asked.value:
            stated[value.value] = value
    if len(stated) != 1:
        return None
    (opposed,) = stated.values()
    is_stated = any(
        answer_places(each, base.answers, asked)
        for text, passage in zip(passages, base.passages, strict=True)
        if passage.is_signal
        for each in sentences_of(text)
        if each not in added
    )
    if not is_stated or any(each.value != opposed.value for each in excluded):
        return None
    return asked.text, opposed.text


def _is_settled(base: BaseQuestion, other: str) -> bool:
    """Whether the asked figure follows from others of its passage, so that it must be right.

    It may also be a part of a larger one, which the other value exceeds.
    """
    asked = asked_number(base)
    if asked is None:
        return False
    low, high = sorted((asked.value, numbers_in(other)[0].value))
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
                if asked.family == "amount" and is_between:
                    return True
    return False


def _excluded(sentence: str, figure: AskedFigure, asked: Number, head: str) -> Number | None:
    """Return the value beside the asked one in `either one or the other, but not both`."""
    found = _EITHER.fullmatch(sentence)
    if found is None:
        return None
    pair = [found["one"], found["other"]]
    values = {each: number for each in pair for number in numbers_in(each) if number.text == each}
    others = [each for each, number in values.items() if number.value != asked.value]
    if len(values) != 2 or len(others) != 1:
        return None
    return stated_value(found["before"] + others[0] + found["after"], figure, asked, head)


def stated_value(sentence: str, figure: AskedFigure, asked: Number, head: str) -> Number | None:
    """Return the value that a sentence states for a measure and period, and nothing else.

    Args:
        head: of the passage; if it names the company, `our` is the company's.
    """
    years = set(YEAR.findall(figure.period))
    dated = _SOURCE_DATE.search(sentence)
    if dated and years and _is_after(dated, figure.period, head):
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
    terms = set(content_terms(said))
    is_named = set(content_terms(figure.company)) <= terms or (
        figure.company in head and _SELF.search(said)
    )
    if not set(content_terms(figure.measure)) <= terms or not is_named:
        return None
    if not years <= set(YEAR.findall(said)):
        return None
    own = f"{figure.company} {figure.measure} {figure.period} {figure.figure}"
    return value if has_only(said, own, _PLAIN) else None


def _is_after(source: re.Match[str], period: str, head: str) -> bool:
    """Whether a source is dated after the end of a period and, in the same year, of the report's.

    Only then it cannot be a forecast.
    """
    year = max(YEAR.findall(period))
    if source["year"] != year:
        return source["year"] > year
    ends = [re.search(_DATE, text) for text in (period, head)]
    dates = [
        (end["year"], _MONTHS.index(end["month"]), int(end["day"] or 31)) for end in ends if end
    ]
    mine = (source["year"], _MONTHS.index(source["month"]), int(source["day"] or 1))
    return bool(dates) and all(date < mine for date in dates)
