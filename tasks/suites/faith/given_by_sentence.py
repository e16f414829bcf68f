"""Find figures that the other figures of their own sentence give, so that a reader needs no table.

In a sentence about a change, any two of the levels, their difference and its percentage give the
others. A change may have two parts, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import permutations

from tasks.quantities.figures import Figure, find_figures

_CHANGE = re.compile(
    r"\b(?:increas|decreas|declin|grew|grow|rose|ris|fell|fall|drop|improv|reduc|larger|smaller"
    r"|greater|less\b|more\b|up\b|down\b|higher|lower)",
    re.IGNORECASE,
)
# A percentage is the sum of others only if the words say that they are its parts.
_PARTS = re.compile(
    r"\b(?:operational|currency|pric(?:es?|ing)|volumes?|consist\w*)\b", re.IGNORECASE
)
_LEAST_DIGITS = 10  # a number of two digits: one digit fits by accident


def is_given_by_others(sentence: str, figure: Figure) -> bool:
    """Check whether two other figures of a sentence give this one at its stated precision."""
    has_digits = abs(figure.value.scaleb(figure.decimals)) >= _LEAST_DIGITS
    others = [
        other
        for other in find_figures(sentence)
        if other.unit != "year" and other.start_char != figure.start_char and other.value
    ]
    if figure.unit == "percent" and not _PARTS.search(sentence):
        others = [other for other in others if other.unit != "percent"]
    return (
        has_digits
        and bool(_CHANGE.search(sentence))
        and any(
            _states(figure, value)
            for a, b in permutations(others, 2)
            for value in _calculate(a, b, figure.unit)
        )
    )


def _calculate(a: Figure, b: Figure, unit: str) -> Iterator[Decimal]:
    """Compute what two figures of a change give: levels, their difference or their percentage."""
    if "bps" in (a.unit, b.unit, unit):
        return
    if unit == "percent" and a.unit == b.unit != unit:
        yield 100 * (a.value - b.value) / b.value  # of two levels
        for before in (b.value - a.value, b.value + a.value):  # of a difference and its level
            if before:
                yield 100 * a.value / before
    elif unit == a.unit != b.unit == "percent":
        for ratio in (1 + b.value / 100, 1 - b.value / 100):
            if ratio > 0:
                before = a.value / ratio
                yield from (before, a.value * ratio, a.value - before)
    elif unit == a.unit == b.unit:
        yield from (a.value + b.value, a.value - b.value)


def _states(figure: Figure, value: Decimal) -> bool:
    half = Decimal(1).scaleb(-figure.decimals) / 2
    return abs(abs(value) - abs(figure.value)) <= half
