"""Check a sentence's figures against each other: levels and their change.

It reads the plain wordings: "increased $4 million, or 12%, to $36 million from $32 million", "was
$36 million, an increase of 12% from $32 million", "was $36 million compared with $32 million, up
12%". Other wordings are taken as consistent. In a consistent sentence, any two figures give the
others at the printed precision, so a reader needs no table. The same holds for the parts of a
change: "a decrease of 2.8%, operational 2.3% and currency 0.5%".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import permutations

from tasks.quantities.figures import Figure, find_figures

_UP = r"increas\w*|grew|growth|rose|rise|up|higher|improv\w*"
_DOWN = r"decreas\w*|declin\w*|fell|drop\w*|down|lower|reduc\w*"
_CHANGED = rf"(?:an? )?\b(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b(?: (?:by|of))?"
_ABOUT = r"(?: (?:approximately|about|nearly|over|a record|a loss of))?"
_CHANGES = (
    rf"{_ABOUT} ⟦(?P<change>\d+)⟧(?:,? or{_ABOUT} ⟦(?P<other>\d+)⟧,?|,? \(⟦(?P<bracketed>\d+)⟧\))?"
)
_WHEN = r"(?:,? (?:in|for|during|at|incurred|over) [^⟦;:]{0,70}?)?"
_BEFORE = rf",? (?:from|(?:as )?compared (?:to|with)|versus){_ABOUT} ⟦(?P<before>\d+)⟧"
_AFTER = rf"{_ABOUT} ⟦(?P<after>\d+)⟧"
_WAS = rf"\b(?:was|were|totaled|of){_AFTER}"
_SAID = (
    re.compile(rf"{_CHANGED}{_CHANGES}{_WHEN} to{_AFTER}(?:{_WHEN}{_BEFORE})?", re.IGNORECASE),
    re.compile(rf"{_WAS}{_WHEN},? {_CHANGED}{_CHANGES}(?:{_WHEN}{_BEFORE})?", re.IGNORECASE),
    re.compile(rf"{_WAS}{_WHEN}{_BEFORE}{_WHEN}, {_CHANGED}{_CHANGES}", re.IGNORECASE),
)

_CHANGE = re.compile(rf"\b(?:{_UP}|{_DOWN}|larger|smaller|greater|less|more)\b", re.IGNORECASE)
_LEAST_DIGITS = 10  # a number of two digits
_OF_PARTS = re.compile(
    r"\b(?:operational|currency|prices?|pricing|volumes?|impact|consist\w*|comprised)\b",
    re.IGNORECASE,
)
_FIGURES_OF_PARTS = 3  # a change and its two parts

Range = tuple[Decimal, Decimal]


def contradiction(sentence: str, figure: Figure) -> str | None:
    """Describe how no unrounded numbers could give a sentence's figure; None if some can."""
    figures = [each for each in find_figures(sentence) if each.unit != "year"]
    for claim, is_up in _claims(sentence, figures):
        if any(each.start_char == figure.start_char for each in claim.values()) and not _agrees(
            claim, is_up
        ):
            said = ", ".join(f"{name} {each.text}" for name, each in claim.items())
            return f"{'up' if is_up else 'down'}: {said}"
    return None


def is_given_by_others(sentence: str, figure: Figure) -> bool:
    """Return whether the sentence's other figures give this one at its stated precision."""
    figures = [each for each in find_figures(sentence) if each.unit != "year"]
    for claim, is_up in _claims(sentence, figures):
        asked = next(
            (role for role, each in claim.items() if each.start_char == figure.start_char), None
        )
        printed = {role: abs(each.value) for role, each in claim.items() if role != asked}
        if asked and any(_states(figure, value) for value in _calculated(asked, printed, is_up)):
            return True
    if _given_by_change(sentence, figures, figure):
        return True
    alike = [each for each in figures if each.unit == figure.unit]
    others = [each.value for each in alike if each.start_char != figure.start_char]
    return (
        bool(_OF_PARTS.search(sentence))
        and len(alike) == _FIGURES_OF_PARTS
        and any(_states(figure, value) for value in (others[0] + others[1], others[0] - others[1]))
    )


def _given_by_change(sentence: str, figures: Sequence[Figure], figure: Figure) -> bool:
    """Check whether any two others of a sentence of a change give the figure, in any wording.

    They are an amount and a percentage, or two amounts. A figure of one digit fits by accident.
    """
    has_digits = abs(figure.value.scaleb(figure.decimals)) >= _LEAST_DIGITS
    others = [each for each in figures if each.start_char != figure.start_char and each.value]
    return (
        has_digits
        and bool(_CHANGE.search(sentence))
        and any(
            _states(figure, value)
            for a, b in permutations(others, 2)
            for value in _by_change(a, b, figure.unit)
        )
    )


def _by_change(a: Figure, b: Figure, unit: str) -> Iterator[Decimal]:
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


def _calculated(asked: str, printed: Mapping[str, Decimal], is_up: bool) -> Iterator[Decimal]:
    """Compute the requested figure of a claim from two of the others."""
    sign = 1 if is_up else -1
    before, after = printed.get("before"), printed.get("after")
    difference, percent = printed.get("difference"), printed.get("percent")
    ratio = None if percent is None else 1 + sign * percent / 100
    if before is None:
        if after is not None and difference is not None:
            before = after - sign * difference
        elif after is not None and ratio:
            before = after / ratio
        elif difference is not None and percent:
            before = 100 * difference / percent
    if after is None and before is not None:
        if difference is not None:
            after = before + sign * difference
        elif ratio is not None:
            after = before * ratio
    if before is None or after is None:
        return
    if asked in ("before", "after"):
        yield before if asked == "before" else after
    elif asked == "difference":
        yield abs(after - before)
    elif before:
        yield 100 * abs(after - before) / before


def _states(figure: Figure, value: Decimal) -> bool:
    low, high = _range(figure)
    return low <= abs(value) <= high


def _claims(sentence: str, figures: Sequence[Figure]) -> Iterator[tuple[dict[str, Figure], bool]]:
    """Yield each claim and whether it rises: before, after, difference, percent -> figure."""
    text = " ".join(_numbered(sentence, figures).split())
    for pattern in _SAID:
        for said in pattern.finditer(text):
            found = {
                name: figures[int(place)]
                for name, place in said.groupdict().items()
                if (place or "").isdigit()
            }
            claim: dict[str, Figure] = {
                name: found[name] for name in ("before", "after") if name in found
            }
            unit = claim["after"].unit
            if unit == "percent" or any(
                level.unit != unit or level.value <= 0 for level in claim.values()
            ):
                continue  # A rate changes in percent or in points; a loss grows downwards.
            for change in (found.get(name) for name in ("change", "other", "bracketed")):
                if change is not None and change.unit == unit:
                    claim["difference"] = change
                elif change is not None and change.unit == "percent":
                    claim["percent"] = change
            yield claim, bool(said["up"])


def _numbered(sentence: str, figures: Sequence[Figure]) -> str:
    """Replace a sentence's figures by their places in the list."""
    pieces: list[str] = []
    end = 0
    for place, figure in enumerate(figures):
        pieces += [sentence[end : figure.start_char], f"⟦{place}⟧"]
        end = figure.end_char
    return "".join([*pieces, sentence[end:]])


def _agrees(claim: Mapping[str, Figure], is_up: bool) -> bool:
    ranges = {name: _range(figure) for name, figure in claim.items()}
    if not is_up:  # negate, as if it rose
        for name in ("difference", "percent"):
            if name in ranges:
                ranges[name] = (-ranges[name][1], -ranges[name][0])
    after, before = ranges["after"], ranges.get("before")
    if "difference" in ranges:
        implied = _minus(after, before) if before else _minus(after, ranges["difference"])
        if before and not _meet(implied, ranges["difference"]):
            return False
        before = before or implied
    if before is None or before[0] <= 0 or "percent" not in ranges:
        return True
    ratios = [100 * (end / start - 1) for end in after for start in before]
    return _meet((min(ratios), max(ratios)), ranges["percent"])


def _range(figure: Figure) -> Range:
    """Return the range of numbers that round to a figure as stated."""
    half = Decimal(1).scaleb(-figure.decimals) / 2
    return abs(figure.value) - half, abs(figure.value) + half


def _minus(a: Range, b: Range) -> Range:
    return a[0] - b[1], a[1] - b[0]


def _meet(a: Range, b: Range) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]
