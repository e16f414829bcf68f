"""Proof that a question's answer is nowhere in the passages, nor follows from their figures."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations

from tasks.suites.refusalbench.proofs.numbers import (
    Number,
    agree,
    asked_number,
    is_row,
    numbers_in,
    sentence_spans,
)
from tasks.suites.refusalbench.rows import BaseQuestion, LabelProof
from tasks.text.terms import STOP_WORDS, content_terms

_WORD = re.compile(r"\w+(?:[.,'’&/-]\w+)*")
_COUNTED = 10  # things; a reader counts fewer where they are named
_MANY = 1_000  # things that are counted; one of them costs less
_NEGATIVE = re.compile(r"\W{0,2}[(–−-]")
_SPELLED = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten)\s+point\s|\bone[- ]in[- ]|"
    r"\bout of (?:every|each)\b|\b(?:half|halves|thirds?|quarters?|fourths?|fifths?|tenths?) of\b|"
    r"\b(?:double|twice|triple|tripled|doubled|halved)\b",
    re.IGNORECASE,
)


def prove(base: BaseQuestion, query: str, passages: Sequence[str]) -> LabelProof | None:
    """Prove that the answer is missing, if the query is the base question's."""
    if query != base.query:
        return None
    asked = asked_number(base)
    if asked is None:
        return _without_words(base, passages)
    if asked.family == "amount" and not asked.currency and asked.value < _COUNTED:
        return None
    for text, passage in zip(passages, base.passages, strict=True):
        is_told = passage.is_signal or text != passage.text
        if _gives(text, asked) if is_told else _noise_gives(base, text, asked):
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


def _gives(text: str, asked: Number) -> bool:
    """Whether a passage states the asked number, or lets it be derived."""
    return (
        any(agree(number, asked) for number in numbers_in(text))
        or bool(_SPELLED.search(text))
        or next(derivations(text, asked), None) is not None
    )


def _noise_gives(base: BaseQuestion, text: str, asked: Number) -> bool:
    """Whether an unchanged noise passage gives the asked number.

    Figures on other subjects and companies coincide with it, so that a number must have three
    digits, or stand in a sentence with half of the measure's words.
    """
    measure = set(content_terms(base.asked.measure if base.asked else base.query))
    spans = [
        span
        for span in sentence_spans(text)
        if 2 * len(measure & set(content_terms(text[slice(*span)]))) >= len(measure)
    ]

    def is_near(number: Number) -> bool:
        return any(start <= number.start_char < end for start, end in spans)

    if any(agree(each, asked, 1 if is_near(each) else 3) for each in numbers_in(text)):
        return True
    if any(_SPELLED.search(text[start:end]) for start, end in spans):
        return True
    is_own = base.asked is None or base.asked.company in text
    is_unnamed = not text.startswith("[")  # the first line of a quoted passage names its company
    return (is_own or is_unnamed) and any(
        any(map(is_near, involved)) for involved in derivations(text, asked, is_whole=False)
    )


def derivations(text: str, asked: Number, is_whole: bool = True) -> Iterator[tuple[Number, ...]]:
    """Yield numbers of a text whose sum, difference, product or ratio is the asked number.

    Args:
        is_whole: whether also numbers that stand apart are taken together.
    """
    groups, numbers = list(_groups(text)), numbers_in(text)
    for one, other in combinations(numbers, 2):
        if _of_price(one, other, asked):
            yield one, other
    lists = [each for each in sentence_spans(text) if "respectively" in text[slice(*each)]]

    def is_list(one: Number, other: Number) -> bool:
        """Whether they are rates of several years, which nobody adds."""
        return one.family == other.family == "share" and any(
            start <= one.start_char < other.end_char <= end for start, end in lists
        )

    for group in [numbers] if is_whole else groups:
        for one, other in combinations(group, 2):
            if not is_list(one, other) and _is_value(
                _of_pair(one, other, asked), asked, (one, other)
            ):
                yield one, other
    for group in [numbers, *groups] if is_whole else groups:
        yield from _parts(group, asked)
    for group in groups:
        for one, other in combinations(group, 2):
            values = () if is_list(one, other) else _of_neighbours(one, other, asked)
            if _is_value(values, asked, (one, other)):
                yield one, other


def _groups(text: str) -> Iterator[list[Number]]:
    """Yield numbers that stand together: of two sentences, of a row, and of a table's column."""
    numbers = numbers_in(text)
    prose: list[list[Number]] = []
    rows: list[list[Number]] = []
    for start, end in sentence_spans(text):
        group = [number for number in numbers if start <= number.start_char < end]
        (rows if is_row(text[start:end]) else prose).append(group)
    yield from (one + other for one, other in zip(prose, [*prose[1:], []], strict=False))
    yield from rows
    # A blank cell, or a number in a label, must not shift a row: bars count, or where cells end.
    columns: dict[tuple[int, ...], list[Number]] = defaultdict(list)
    for number in chain.from_iterable(rows):
        before = text[text.rfind("\n", 0, number.start_char) + 1 : number.end_char]
        places = (
            [(bars,)]
            if (bars := before.count("|"))
            else [(shift, (len(before) + shift) // 6) for shift in (0, 3)]
        )
        for place in places:
            columns[place].append(number)
    yield from columns.values()


def _parts(group: Sequence[Number], asked: Number) -> Iterator[tuple[Number, ...]]:
    """Yield numbers that stand together if they make a total, or a total with its other parts."""
    same = [number for number in group if number.family == asked.family]
    if asked.family == "share":
        yield from (
            (each,) for each in same if _is_value([100 - float(each.value)], asked, (each,))
        )
    for start in range(len(same) - 1):
        total = float(same[start].value)
        net = _signed(same[start])
        for end in range(start + 1, len(same)):
            part = same[start : end + 1]
            total += float(same[end].value)
            net += _signed(same[end])
            if _is_value([total, abs(net)], asked, part):
                yield tuple(part)
            for other in (*same[:start], *same[end + 1 :]):
                whole = float(other.value)
                parts = (*part, other)
                if _is_value([abs(whole - total), abs(_signed(other) - net)], asked, parts):
                    yield parts


def _signed(number: Number) -> float:
    """Return a number's value, below zero if it is written so: `(13.4)%`."""
    return -float(number.value) if _NEGATIVE.match(number.text) else float(number.value)


def _of_pair(one: Number, other: Number, asked: Number) -> Sequence[float]:
    a, b = float(one.value), float(other.value)
    if one.family == other.family == asked.family:
        return a + b, abs(a - b)
    if one.family == other.family == "amount" and a and b:
        return 100 * a / b, 100 * b / a, 100 * abs(a - b) / b, 100 * abs(a - b) / a
    if one.family != other.family and asked.family == "amount":
        amount, share = (a, b) if one.family == "amount" else (b, a)
        part = amount * share / 100
        return (part, amount + part, abs(amount - part), 100 * amount / share if share else 0.0)
    return ()


def _of_neighbours(one: Number, other: Number, asked: Number) -> Sequence[float]:
    """Return what two numbers make that would seldom belong together if they stood apart.

    That is a growth in percent, by an amount or as two rates make it, and what grew by an amount
    and a rate: `increased 42% or $327 million`.
    """
    if one.family != other.family and asked.family == "amount":
        grown, rate = (one, other) if one.family == "amount" else (other, one)
        before = 100 * float(grown.value) / float(rate.value) if rate.value else 0.0
        return before + float(grown.value), abs(before - float(grown.value))
    if asked.family != "share" or not one.value or one.family != other.family:
        return ()
    low, high = sorted((float(one.value), float(other.value)))
    if one.family == "share":
        return [
            abs((100 + a) * (100 + b) / 100 - 100)
            for a, b in ((low, high), (-low, high), (low, -high))
        ]
    return (100 * low / (high - low), 100 * low / (high + low)) if low < high else ()


def _of_price(one: Number, other: Number, asked: Number) -> bool:
    """Whether a count of things and the price of one make the asked amount, or the asked price."""
    if {one.family, other.family, asked.family} != {"amount"} or not asked.currency:
        return False
    money, count = (one, other) if one.currency else (other, one)
    is_count = not count.currency and not count.is_bare and count.value >= _MANY
    if not money.currency or not is_count or min(money.value, asked.value) >= _MANY:
        return False
    is_product = asked.value > money.value
    made = money.value * count.value if is_product else money.value / count.value
    return abs(made - asked.value) * 2 <= asked.step


def _is_value(values: Iterable[float], asked: Number, of: Sequence[Number]) -> bool:
    """Whether one of the derived values is the asked one, at its precision and in its scale.

    Where only one of the two names its scale, the other's may stand elsewhere.
    """
    powers: tuple[float, ...] = (1.0,)
    is_scaled = any(number.is_scaled for number in of)
    if asked.family == "amount" and is_scaled != asked.is_scaled:
        powers = (1.0, 1e3, 1e6, 1e9) if asked.is_scaled else (1.0, 1e-3, 1e-6, 1e-9)
    # a sum of rounded numbers may be off by a unit
    value, step = float(asked.value), float(asked.step) * (3 if len(of) > 2 else 1 + 1e-9)
    return any(abs(each * power - value) * 2 <= step for each in values for power in powers)
