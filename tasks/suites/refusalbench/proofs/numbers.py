"""Whether two figures may state one value, in whatever scale and rounding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from tasks.quantities.figures import Figure
from tasks.suites.refusalbench.figures import figures_of
from tasks.suites.refusalbench.rows import BaseQuestion
from tasks.text.sentences import Span, split_sentences

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SCALE = re.compile(r"thousand|million|billion|trillion|\d ?(?:k|mm?|mn|bn?|tn)\b", re.IGNORECASE)
_ROW = re.compile(r" \| |\S(?: {3,}|\t+)(?:[$(] {0,3})*\d|\.{4,}|(?:\. ){4}")
# What the grammar of figures does not read: `7.7B USD`.
_SHORT = re.compile(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?) ?(k|mm?|mn|bn?|tn)\b", re.IGNORECASE)
_POWER = {"k": 3, "m": 6, "b": 9, "t": 12}


@dataclass(frozen=True, slots=True)
class Number:
    """One figure of a text, without its sign."""

    text: str
    start_char: int
    end_char: int
    value: Decimal
    step: Decimal  # of its last digit that is not a zero at the end
    n_digits: int  # from the first to that digit
    family: str  # amount (money and counts) or share (percentages)
    is_scaled: bool  # whether its scale is certain
    currency: str | None
    is_bare: bool  # whether it may be a cell, whose unit and scale stand elsewhere


def sentence_spans(text: str) -> list[Span]:
    """Return the sentences and rows of a passage; its first line is one if it is in brackets."""
    head = re.match(r"\[[^\n]*\]\n", text)
    if head is None:
        return split_sentences(text)
    end = head.end()
    rest = split_sentences(text[end:])
    return [Span(0, end - 1), *(Span(start + end, stop + end) for start, stop in rest)]


def is_row(sentence: str) -> bool:
    """Whether a sentence is a table's row."""
    return bool(_ROW.search(sentence))


def numbers_in(text: str) -> list[Number]:
    """Return the amounts, counts and percentages of a text, in order; no years."""
    return sorted(_numbers(text), key=lambda number: number.start_char)


def _numbers(text: str) -> Iterator[Number]:
    figures = [figure for figure in figures_of(text) if figure.unit != "year"]
    for figure in figures:
        yield _number(text, figure)
    for found in _SHORT.finditer(text):
        if not any(figure.start_char <= found.start() < figure.end_char for figure in figures):
            value = Decimal(found[1].replace(",", "")).scaleb(_POWER[found[2][0].lower()])
            step, n_digits = _digits(value, None)
            yield Number(
                text=found[0],
                start_char=found.start(),
                end_char=found.end(),
                value=value,
                step=step,
                n_digits=n_digits,
                family="amount",
                currency=None,
                is_scaled=True,
                is_bare=False,
            )


def _number(text: str, figure: Figure) -> Number:
    value, decimals = abs(figure.value), figure.decimals
    family = "share" if figure.unit in ("percent", "bps") else "amount"
    if figure.unit == "bps":
        value, decimals = value / 100, decimals + 2
    line = text[text.rfind("\n", 0, figure.start_char) + 1 :].partition("\n")[0]
    written = _NUMBER.search(figure.text)
    is_short = written is not None and len(written[0]) <= 2  # all digits of `$10 million` count
    step, n_digits = _digits(value, decimals if is_short or "." in figure.text else None)
    is_scaled = figure.unit == "per_share" or bool(_SCALE.search(figure.text))
    is_bare = family == "amount" and not is_scaled and is_row(line)
    return Number(
        text=figure.text,
        start_char=figure.start_char,
        end_char=figure.end_char,
        value=value,
        step=step,
        n_digits=n_digits,
        family=family,
        currency=figure.currency,
        is_scaled=is_scaled,
        is_bare=is_bare,
    )


def _digits(value: Decimal, decimals: int | None) -> tuple[Decimal, int]:
    """Return the step of a value's last digit, and how many digits it has up to that one.

    Zeros at the end count only up to `decimals`, if these are given.
    """
    exponent = value.normalize().as_tuple().exponent
    assert isinstance(exponent, int)  # values are finite
    last = exponent if decimals is None else min(exponent, -decimals)
    return Decimal((0, (1,), last)), max(1, value.adjusted() - last + 1)


def agree(a: Number, b: Number, least_digits: int = 1) -> bool:
    """Whether two numbers may state one value, one of them rounded or in another scale.

    Args:
        least_digits: digits that both must have, as one digit coincides with much.
    """
    if a.family != b.family:
        amount, share = (a, b) if a.family == "amount" else (b, a)
        is_fraction = amount.value < 1 and not amount.is_scaled
        return (is_fraction and _near(amount, share, 2, least_digits)) or (
            amount.is_bare and _near(amount, share, 0, least_digits)
        )
    if a.currency != b.currency and any(not _NUMBER.search(each.text) for each in (a, b)):
        return a.is_scaled and b.is_scaled and _near(a, b, 0, least_digits)  # `five years`
    if _near(a, b, 0, least_digits):
        return True
    if a.family == "share" or (a.is_scaled and b.is_scaled):
        return False
    least = max(least_digits, 1 if a.is_scaled or b.is_scaled else 2)
    return any(_near(a, b, power, least) for power in (-9, -6, -3, 3, 6, 9))


def _near(a: Number, b: Number, power: int, least_digits: int) -> bool:
    if min(a.n_digits, b.n_digits) < least_digits:
        return False
    step = max(a.step.scaleb(power), b.step)
    return abs(a.value.scaleb(power) - b.value) * 2 <= (
        step if a.step.scaleb(power) != b.step else 0
    )


def is_same(a: Number, b: Number) -> bool:
    """Whether two numbers have the same digits or state the same value."""
    return a.family == b.family and (
        a.value == b.value
        or (
            (a.is_scaled != b.is_scaled or a.is_bare or b.is_bare)
            and _digits_of(a) == _digits_of(b)
            and len(_digits_of(a)) > 1
        )
    )


def _digits_of(number: Number) -> str:
    found = _NUMBER.search(number.text)
    return found[0] if found else ""


def asked_number(base: BaseQuestion) -> Number | None:
    """Return the number that a base question asks for; None if its answer is none."""
    found = numbers_in(base.asked.figure if base.asked else base.answers[0])
    return found[0] if len(found) == 1 else None


def answer_places(text: str, answers: Sequence[str], asked: Number | None) -> list[tuple[int, int]]:
    """Return where a text states the answer: the number as written, or the words."""
    if asked is None:
        return [
            found.span()
            for answer in answers
            for found in re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", text, re.IGNORECASE)
        ]
    return [(each.start_char, each.end_char) for each in numbers_in(text) if is_same(each, asked)]
