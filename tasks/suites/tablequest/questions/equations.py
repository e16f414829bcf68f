"""Equations that stand in a text's steps, computed again: `394,328 - 365,817 = 28,511`.

An equation has numbers and at least one sign of arithmetic on one side of `=` or `≈`. A side with
words, or any other sign, is not computed. Steps leave units out and round between, so a side has
several readings: with its scales (million) or without, with a percent sign as hundredths or
without, a number in brackets as negative or not. Results, and numbers with a decimal point, a scale
or a percent sign, may be rounded at their last digit. An equation is wrong if no reading of both
sides makes it true at the precision stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise, product

from tasks.quantities.scales import POWERS
from tasks.quantities.units import SIGNS
from tasks.suites.shared.tables.expressions import ExpressionError, evaluate_expression

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_SCALES = {
    **{word: POWERS[f"{word}s"] for word in ("thousand", "million", "billion")},
    **{f"{word}s": POWERS[f"{word}s"] for word in ("thousand", "million", "billion")},
}
_TOKEN = re.compile(
    rf"\s*(?:[{SIGNS}]\s*)?(?:(?P<number>{_NUMBER})(?!\w|[.,]\d)(?:\s*(?P<percent>%|percent\b))?"
    rf"(?:\s*(?P<scale>{'|'.join(sorted(_SCALES, key=len, reverse=True))})\b)?"
    r"|(?P<sign>[-+*/×÷−–()]|x(?=\s*[\d$(.])))",
    re.IGNORECASE,
)
_EQUALS = re.compile(r"=|≈|≅")
_MARKUP = re.compile(r"\\(?:times|cdot)|\\(?:approx)|[*_`]{2,}|\\[(\[\])]|\\(?=[$%])")
_MARKS = {r"\times": "×", r"\cdot": "×", r"\approx": "≈"}
_SIGNS = {"x": "*", "X": "*", "×": "*", "÷": "/", "−": "-", "–": "-"}
_BRACKETED = re.compile(r"\((N\d+)\)")

# Of a text; a longer one has its first equations computed.
_MOST_EQUATIONS = 60
# Rounded numbers of an equation, each of which is tried at both ends of what it may be.
_MOST_ROUNDED = 6


def wrong_equation(steps: str) -> str | None:
    """Return the first equation of a text that is wrong; None if there is none."""
    for number, (left, right) in enumerate(_equations(steps)):
        if number == _MOST_EQUATIONS:
            break
        if not _may_be_equal(left, right):
            return f"{left.text} = {right.text}"
    return None


class _Side:
    """One side of an equation: names N0, N1, ... in place of its numbers."""

    def __init__(self, tokens: list[re.Match[str]]) -> None:
        self.text = "".join(token[0] for token in tokens).strip()
        self.numbers = [token for token in tokens if token["number"]]
        names = iter(range(len(self.numbers)))
        self.expression = "".join(
            f"N{next(names)}" if token["number"] else _SIGNS.get(token["sign"], token["sign"])
            for token in tokens
        )

    @property
    def has_arithmetic(self) -> bool:
        return bool(re.search(r"[\d)][-+*/]", self.expression))

    def readings(self) -> Iterator[tuple[Decimal, Decimal]]:
        """Yield the bounds of its value under each reading."""
        texts = {self.expression, _BRACKETED.sub(r"(-\1)", self.expression)}
        for text, scaled, hundredths in product(sorted(texts), (True, False), (True, False)):
            try:
                yield self._bounds(text, scaled=scaled, hundredths=hundredths)
            except ExpressionError:
                continue

    def _bounds(self, text: str, *, scaled: bool, hundredths: bool) -> tuple[Decimal, Decimal]:
        ends: list[tuple[Decimal, ...]] = []
        n_rounded = 0
        for token in self.numbers:
            digits = token["number"].replace(",", "")
            power = _SCALES[token["scale"].lower()] if scaled and token["scale"] else 0
            power -= 2 if hundredths and token["percent"] else 0
            value, half = Decimal(digits), Decimal(0)
            may_be_rounded = "." in digits or token["scale"] or token["percent"]
            is_result = len(self.numbers) == 1 and not self.has_arithmetic
            if (may_be_rounded or is_result) and n_rounded < _MOST_ROUNDED:
                half = Decimal(5).scaleb(-len(digits.partition(".")[2]) - 1)
                n_rounded += 1
            ends.append(tuple({(value - half).scaleb(power), (value + half).scaleb(power)}))
        found = [
            evaluate_expression(
                text, {f"N{place}": value for place, value in enumerate(values)}, Decimal
            )
            for values in product(*ends)
        ]
        return min(found), max(found)


def _may_be_equal(left: _Side, right: _Side) -> bool:
    lefts, rights = list(left.readings()), list(right.readings())
    if not lefts or not rights:
        return True  # it cannot be computed, which is no contradiction
    return any(
        low <= most and least <= high for (low, high), (least, most) in product(lefts, rights)
    )


def _equations(steps: str) -> Iterator[tuple[_Side, _Side]]:
    text = _MARKUP.sub(lambda found: _MARKS.get(found[0], ""), steps)
    for line in re.split(r"[\n;]|(?<=[^\d])\.\s|\.\s+(?=[A-Z])", text):
        for left, right in pairwise(_EQUALS.split(line)):
            before, after = _ending(left), _beginning(right)
            if before is not None and after is not None and before.has_arithmetic:
                yield before, after


def _beginning(text: str) -> _Side | None:
    """Read the arithmetic that a text begins with; None if a word may continue it."""
    tokens: list[re.Match[str]] = []
    place = 0
    while found := _TOKEN.match(text, place):
        tokens.append(found)
        place = found.end()
    while tokens and not tokens[-1]["number"] and tokens[-1]["sign"] != ")":
        tokens.pop()
    side = _Side(tokens) if tokens else None
    return _balanced(side)


def _ending(text: str) -> _Side | None:
    """Read the arithmetic that a text ends with."""
    words = [*re.finditer(r"[^\W\d_]+|[:,]\s", text)]
    starts = [0, *(word.end() for word in words)]
    for start in starts:
        tokens: list[re.Match[str]] = []
        place = start
        while found := _TOKEN.match(text, place):
            tokens.append(found)
            place = found.end()
        if tokens and not text[place:].strip():
            return _balanced(_Side(tokens))
    return None


def _balanced(side: _Side | None) -> _Side | None:
    if side is None or not side.numbers:
        return None
    return side if side.expression.count("(") == side.expression.count(")") else None
