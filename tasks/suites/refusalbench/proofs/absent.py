"""Proof that a question's answer is nowhere in the passages, nor follows from their figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations

from tasks.suites.refusalbench.proofs.numbers import Number, agree, asked_number, is_row, numbers_in
from tasks.suites.refusalbench.rows import BaseQuestion, LabelProof
from tasks.suites.refusalbench.strata import Intensity, PerturbationClass
from tasks.text.sentences import split_sentences
from tasks.text.terms import STOP_WORDS, content_terms

_WORD = re.compile(r"\w+(?:[.,'’&/-]\w+)*")
_SPELLED = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten)\s+point\s|\bone[- ]in[- ]|"
    r"\bout of (?:every|each)\b|\b(?:half|halves|thirds?|quarters?|fourths?|fifths?|tenths?) of\b|"
    r"\b(?:double|twice|triple|tripled|doubled|halved)\b",
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
    """Prove that the answer is missing, if the query is the base question's."""
    if query != base.query:
        return None
    asked = asked_number(base)
    if asked is None:
        return _without_words(base, passages)
    for text, passage in zip(passages, base.passages, strict=True):
        bears = passage.is_signal or text != passage.text or _bears_on(base, text)
        least = 1 if bears else 3  # figures on another subject may coincide
        if any(agree(number, asked, least) for number in numbers_in(text)):
            return None
        if bears and (_SPELLED.search(text) or follows(text, asked)):
            return None
    return LabelProof(
        kind="absent",
        detail=f"No passage states {asked.text} in any scale or rounding; no two figures make it.",
    )


def _without_words(base: BaseQuestion, passages: Sequence[str]) -> LabelProof | None:
    known = {word.lower() for word in _WORD.findall(base.query)} | STOP_WORDS
    words = {word.lower() for answer in base.answers for word in _WORD.findall(answer)} - known
    if not words:
        return None
    stems = set(content_terms(" ".join(words)))
    for text in passages:
        if not words.isdisjoint(word.lower() for word in _WORD.findall(text)):
            return None
        if not stems.isdisjoint(content_terms(text)):
            return None
    return LabelProof(
        kind="absent", detail=f"No passage has a word of: {', '.join(sorted(words))}."
    )


def _bears_on(base: BaseQuestion, text: str) -> bool:
    """Whether a passage may speak of what is asked: half of the measure's words, or the company."""
    measure = set(content_terms(base.asked.measure if base.asked else base.query))
    company = set(content_terms(base.asked.company)) if base.asked else set()
    found = set(content_terms(text))
    return 2 * len(measure & found) >= len(measure) or not company.isdisjoint(found)


def follows(text: str, asked: Number) -> bool:
    """Whether the asked number is a sum, difference, product or ratio of numbers nearby."""
    return any(
        _is_value(value, asked)
        for group in _groups(text, asked)
        for value in _derived(group, asked)
    )


def _groups(text: str, asked: Number) -> Iterator[list[Number]]:
    """Yield numbers that belong together: of a paragraph's prose, a row, and a table's column."""
    for paragraph in re.split(r"\n\s*\n", text):
        sentences = [paragraph[start:end] for start, end in split_sentences(paragraph)]
        prose = [each for each in sentences if not is_row(each)]
        for first, second in zip(prose, [*prose[1:], ""], strict=False):
            yield numbers_in(f"{first} {second}")
        rows = [numbers_in(each) for each in sentences if is_row(each)]
        yield from rows
        width = max(map(len, rows), default=0)
        for index in range(width):
            column = [row[index] for row in rows if index < len(row)]
            yield column


def _derived(group: list[Number], asked: Number) -> Iterator[Decimal]:
    amounts = [number.value for number in group if number.family == "amount"]
    shares = [number.value for number in group if number.family == "share"]
    same = [*shares, Decimal(100)] if asked.family == "share" else amounts
    for a, b in combinations(same, 2):
        yield from (a + b, abs(a - b))
    if asked.family == "share":
        for a, b in combinations(amounts, 2):
            if a and b:
                yield from (100 * a / b, 100 * b / a, 100 * abs(a - b) / b, 100 * abs(a - b) / a)
    else:
        for amount in amounts:
            for share in shares:
                part = amount * share / 100
                yield from (part, amount + part, abs(amount - part))
    # a total without its other parts: parts of a table stand together
    for start in range(len(same) - 2):
        total = Decimal(0)
        for end in range(start, len(same)):
            total += same[end]
            if end - start >= 2:
                yield total
            if end > start:
                yield from (abs(other - total) for other in (*same[:start], *same[end + 1 :]))


def _is_value(value: Decimal, asked: Number) -> bool:
    """Whether a derived value is the asked one in any scale, at the asked one's precision."""
    powers = (0,) if asked.family == "share" else (-9, -6, -3, 0, 3, 6, 9)
    return any(abs(value.scaleb(power) - asked.value) * 2 <= asked.step for power in powers)
