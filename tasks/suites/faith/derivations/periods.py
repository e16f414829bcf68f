"""The period of a figure: the nearest year, a list's order, a comparison."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.suites.faith.derivations.roles import Role
from tasks.suites.shared.tables.cells import YEAR, years_in
from tasks.text.sentences import Span

PART_OF_YEAR = re.compile(
    r"\b(?:three|six|nine)[ -]months?|\b(?:first|second|third|fourth) quarter|\bquarter\w*"
    r"|\bQ[1-4]\b",
    re.IGNORECASE,
)
QUARTER = re.compile(r"\bquarter\b|\bQ[1-4]\b|\bthree[ -]months?\b", re.IGNORECASE)
_FROM = re.compile(
    r"\bfrom\s+(?:an?\s+)?(?:approximately\s+|about\s+)?"
    r"(?:(?!(?:was|were|is|are|totaled)\b)\w+\s+){0,6}?(?:of\s+)?\Z",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:compared|comparable|versus|vs\.?|against|relative|opposed)\b(?:\s+(?:to|with))?[^.;]{0,90}\Z",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"\b(?:compared|versus|vs\.?|against|from|up|down)\b", re.IGNORECASE)
_BASE = re.compile(
    r"\b(?:from|(?:over|than|versus|vs\.?|against|(?:compared|comparable|relative)\s+(?:to|with)|since)"
    r"(?:\s+[a-z]+){0,8}?)\s+"
    r"(?:the\s+|that\s+of\s+|same\s+)*(?:(?:fiscal|calendar)\s+)?(?:years?\s+)?(?:ended\s+)?(?:[A-Z][a-z]+\s+\d{1,2},\s+)?\Z",
    re.IGNORECASE,
)
_BETWEEN_YEARS = re.compile(
    r"(?:\s*,|,?\s*and|,?\s*or|\s*(?:fiscal|[A-Z][a-z]+ \d{1,2},|years?))*\s*"
)
_BETWEEN_FIGURES = re.compile(
    r"\)?\s*(?:,|,?\s*and|,?\s*or)\s*"
    r"(?:(?:an?|approximately|decreased|increased|declined|grew|up|down|rose|of|by|the)\s*)*\(?",
    re.IGNORECASE,
)
# The same in another unit: `$5 million, or 10%`.
_SAME = re.compile(r"\bor\s+\(?\Z")
# What follows these words is the cause of a change, not its period.
_CAUSE = re.compile(
    r"\b(?:due|attributable|driven|because|subsequent|result(?:s|ed|ing)?|reflect\w*"
    r"|relat(?:ed|ing)|primarily|costs? incurred)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class When:
    """The period of a figure."""

    fits: dict[int, float]  # how well each year of the passage fits, 0 to 1
    others: float  # how well any other year fits
    is_part_of_year: bool  # whether the sentence speaks of a quarter or of months
    base: int | None = None  # the year that a change compares with, if it is named


def list_of(text: str, at: Span, others: Sequence[Span]) -> list[Span]:
    """Find the figures in one list with another, itself included, in order; [] if it is alone."""
    places = sorted([*others, at])
    first = last = places.index(at)
    while first > 0 and _BETWEEN_FIGURES.fullmatch(
        text[places[first - 1].end_char : places[first].start_char]
    ):
        first -= 1
    while last + 1 < len(places) and _BETWEEN_FIGURES.fullmatch(
        text[places[last].end_char : places[last + 1].start_char]
    ):
        last += 1
    return places[first : last + 1] if last > first else []


def period_of(text: str, at: Span, others: Sequence[Span], role: Role, around: str) -> When:
    """Weigh how well each year fits a figure; `around` counts if the sentence names no year."""
    found = [(match.start(), int(match[0])) for match in YEAR.finditer(text)]
    left = text[: at.start_char]
    is_part = bool(PART_OF_YEAR.search(text))
    mates = list_of(text, at, others)
    if mates and (year := _year_in_order(text, found, at, mates)):
        return When({y: 1.0 if y == year else 0.3 for _, y in found}, 0.2, is_part)
    compared = _is_compared(left, others)
    is_prior = compared and role != "change"
    of_causes = {
        place for place, _ in found if role == "change" and _CAUSE.search(text, at.end_char, place)
    }
    bases = {
        place
        for place, _ in found
        if _BASE.search(text[:place])
        and not (compared and place > at.start_char)
        and place not in of_causes
    }
    base = min(
        ((_distance(text, at, place, others), year) for place, year in found if place in bases),
        default=(0, None),
    )[1]
    own = [
        (place, year)
        for place, year in found
        if role != "change" or (place not in bases and place not in of_causes)
    ]
    if role != "change" and not compared:
        own = [(place, year) for place, year in own if place not in bases] or own
        later = _compared_with(text, at, own, others)
        if later is not None:
            return When({later: 0.4, later + 1: 1.0}, 0.25, is_part)
    if is_prior and (later := _year_of_later(own, at, others)):
        return When({later: 0.4, later - 1: 1.0}, 0.25, is_part, base)
    if own:
        fits = {year: 0.4 for _, year in found}
        fits[min((_distance(text, at, place, others), year) for place, year in own)[1]] = 1.0
        return When(fits, 0.25, is_part, base)
    if role == "change" and base is not None:
        return When({base + 1: 1.0}, 0.3, is_part, base)
    if beside := years_in(around):
        year = max(beside) - 1 if is_prior else max(beside)
        return When({year: 0.9}, 0.45, is_part)
    return When({}, 0.5, is_part)


def _compared_with(
    text: str, at: Span, years: Sequence[tuple[int, int]], others: Sequence[Span]
) -> int | None:
    """Find the year compared with, if no other is named: `of [MASK], compared with $5 for 2022`."""
    if len({year for _, year in years}) != 1 or years[0][0] < at.start_char:
        return None
    place, year = years[0]
    compares = _COMPARES.search(text, at.end_char)
    is_others = any(at.start_char < other.start_char < place for other in others)
    return year if is_others and compares and compares.start() < place else None


def _year_of_later(own: Sequence[tuple[int, int]], at: Span, others: Sequence[Span]) -> int | None:
    """Find the only year named, the later one: `in 2016, it fell to 30% from [MASK]`."""
    before = [other.start_char for other in others if other.start_char < at.start_char]
    if not before or len({year for _, year in own}) != 1 or own[-1][0] > max(before):
        return None
    return own[0][1]


def _is_compared(left: str, others: Sequence[Span]) -> bool:
    """Check whether the sentence compares with this figure, which is then the earlier one."""
    found = _COMPARED.search(left)
    if found and not any(found.start() <= other.start_char < len(left) for other in others):
        return True
    return bool(_FROM.search(left[-60:]))


def _year_in_order(
    text: str, found: Sequence[tuple[int, int]], at: Span, mates: Sequence[Span]
) -> int | None:
    """Find a figure's year in a list of as many years as figures."""
    runs: list[list[tuple[int, int]]] = []
    for place, year in found:
        if runs and _BETWEEN_YEARS.fullmatch(text[runs[-1][-1][0] + 4 : place]):
            runs[-1].append((place, year))
        else:
            runs.append([(place, year)])
    fitting = [run for run in runs if len(run) == len(mates)]
    if not fitting:
        return None
    return min(fitting, key=lambda run: abs(run[0][0] - at.start_char))[mates.index(at)][1]


def _distance(text: str, at: Span, place: int, others: Sequence[Span]) -> float:
    """Measure how far a year is from a figure in characters, more across figures."""
    first, last = sorted((at.start_char, place))
    between = text[first:last]
    crossed = sum(
        first < other.start_char < last and not _SAME.search(text[: other.start_char])
        for other in others
    )
    if place < at.start_char and _COMPARES.search(between):
        crossed += 1
    before = 12 if place < at.start_char else 0  # a period mostly follows its figure
    return len(between) + before + 150 * crossed
