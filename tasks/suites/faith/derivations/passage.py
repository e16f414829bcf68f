"""A sentence with a masked figure, and what its words say of the figure.

Only the passage is read, never the figure: which words stand near it, which years are named, and
whether it is a level, a change or a share.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from tasks.quantities.figures import Figure, find_figures
from tasks.quantities.text_tables import YEAR
from tasks.suites.faith.maskable import MASK
from tasks.suites.shared.tables.cells import years_in
from tasks.text.metric_words import terms_of

Role = Literal["level", "change", "share"]

_UP = r"increas\w*|grew|grow\w*|rose|ris(?:e|ing)|up|higher|improv\w*"
_DOWN = r"decreas\w*|declin\w*|fell|fall\w*|drop\w*|reduc\w*|down|lower"
_MOVED = rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN})|chang\w*|additional)\b"
# `increased by [MASK]`, `increase in sales of [MASK]`
_CHANGE_BEFORE = re.compile(rf"{_MOVED}[^.;:]{{0,90}}\Z", re.IGNORECASE)
# `[MASK] operational growth`
_CHANGE_AFTER = re.compile(
    r"\A\)?\s*(?!(?:and|or|to|from|of|in|with|while|compared)\b)(?:[\w-]+\s){0,2}?" + _MOVED,
    re.IGNORECASE,
)
# `increased to [MASK]` states the level, not the change
_LEVEL_BEFORE = re.compile(
    r"\b(?:to|from|was|were|totaled)\s+(?:approximately\s|about\s)?\(?\Z", re.IGNORECASE
)
_SHARE_BEFORE = re.compile(
    r"\b(?:as\s+a\s+(?:percentage|percent|%)\s+of|represent\w*|account\w*\s+for|compris\w*)\b"
    r"[^.;]{0,80}\Z",
    re.IGNORECASE,
)
_SHARE_AFTER = re.compile(r"\A\)?\s*of\s+(?!fiscal|the year|20|19)", re.IGNORECASE)
# Between two figures of one list: the second plays the part of the first.
_LISTED = re.compile(r"\)?\s*,?\s*(?:or|and)?\s*\(?\s*")
# Before a year or a figure that another is compared with: `up from $4 million in 2022`.
_COMPARED = re.compile(
    r"\b(?:from|over|than|versus|vs\.?|against|since|(?:compared|relative)\s+(?:to|with))\s+"
    r"[^;:,]{0,50}\Z",
    re.IGNORECASE,
)
_PER = re.compile(r"\b(?:per|each)\b", re.IGNORECASE)
QUARTER = re.compile(r"\bquarters?\b|\bthree months\b", re.IGNORECASE)

# How far words speak of the figure: less across each other figure, and less in a neighbour.
_ACROSS_A_FIGURE, _IN_BEFORE, _IN_AFTER = 0.7, 0.35, 0.1
_N_BEFORE, _N_AFTER = 400, 250  # characters of a neighbour that are near enough
# How well a year fits: the nearest, another of the sentence, the one before the only year named.
_NEAREST, _NAMED, _YEAR_BEFORE = 1.0, 0.5, 0.25
_CHARS_ACROSS, _CHARS_BEFORE = 150, 12  # a year mostly follows its figure, with none between


@dataclass(frozen=True, slots=True)
class FigurePassage:
    """A masked sentence and its neighbours, each "" if there is none."""

    before: str
    masked: str  # holds `[MASK]` once, in place of the figure
    after: str

    @classmethod
    def read(cls, text: str) -> FigurePassage:
        """Read a query's lines; the one with the mask is the sentence.

        Raises:
            ValueError: no line has a mask.
        """
        lines = text.split("\n")
        place = next((index for index, line in enumerate(lines) if MASK in line), None)
        if place is None:
            raise ValueError(f"no {MASK} in the passage {text[:80]!r}")
        return cls("\n".join(lines[:place]), lines[place], "\n".join(lines[place + 1 :]))


@dataclass(frozen=True, slots=True)
class CellReading:
    """What a passage says of its masked figure."""

    weights: Mapping[str, float]  # term -> how far it speaks of the figure, 0 to 1
    role: Role
    direction: int  # of a change: 1 up, -1 down, 0 unsaid
    years: Mapping[int, float]  # year -> how well it fits, 0 to 1; empty if none is named
    says_per: bool  # whether it speaks of an amount per thing
    says_quarter: bool  # whether it speaks of a quarter
    figures: tuple[Figure, ...]  # the passage's other figures


def read_passage(passage: FigurePassage) -> CellReading:
    """Read what the words around the mask say.

    Raises:
        ValueError: the sentence has no mask.
    """
    sentence = " ".join(passage.masked.split())
    at = sentence.index(MASK)
    figures = _figures_in(sentence)
    starts = [figure.start_char for figure in figures]
    role, direction = _read_role(sentence, at, figures)
    return CellReading(
        weights=_weigh_terms(sentence, at, starts, passage),
        role=role,
        direction=direction,
        years=_weigh_years(sentence, at, starts, f"{passage.before} {passage.after}"),
        says_per=bool(_PER.search(sentence)),
        says_quarter=bool(QUARTER.search(f"{passage.before} {sentence} {passage.after}")),
        figures=(*figures, *_figures_in(passage.before), *_figures_in(passage.after)),
    )


def _figures_in(text: str) -> list[Figure]:
    return [figure for figure in find_figures(text) if figure.unit != "year"]


def _count_crossed(at: int, place: int, starts: Sequence[int]) -> int:
    first, last = sorted((at, place))
    return sum(first < start < last for start in starts)


def _weigh_terms(
    sentence: str, at: int, starts: Sequence[int], passage: FigurePassage
) -> dict[str, float]:
    weights: dict[str, float] = {}
    weights |= dict.fromkeys(terms_of(passage.after[:_N_AFTER]), _IN_AFTER)
    weights |= dict.fromkeys(terms_of(passage.before[-_N_BEFORE:]), _IN_BEFORE)
    for word in re.finditer(r"\S+", sentence.replace(MASK, " " * len(MASK))):
        weight = _ACROSS_A_FIGURE ** _count_crossed(at, word.start(), starts)
        for term in terms_of(word[0]):
            weights[term] = max(weights.get(term, 0.0), weight)
    return weights


def _read_role(sentence: str, at: int, figures: Sequence[Figure]) -> tuple[Role, int]:
    """Read the role, and a change's direction; in a list it is that of the first figure."""
    right = sentence[at + len(MASK) :]
    earlier = [figure for figure in figures if figure.end_char <= at]
    while earlier and _LISTED.fullmatch(sentence[earlier[-1].end_char : at]):
        at = earlier.pop().start_char
    left = sentence[earlier[-1].end_char if earlier else 0 : at]
    moved = _CHANGE_AFTER.match(right)
    if moved is None and not _LEVEL_BEFORE.search(left):
        moved = _CHANGE_BEFORE.search(left)
    if moved:
        return "change", 1 if moved["up"] else -1 if moved["down"] else 0
    is_share = _SHARE_BEFORE.search(left) or _SHARE_AFTER.match(right)
    return ("share" if is_share else "level"), 0


def _weigh_years(sentence: str, at: int, starts: Sequence[int], around: str) -> dict[int, float]:
    """Weigh how well each year fits; `around` counts if the sentence names none."""
    places = [(match.start(), int(match[0])) for match in YEAR.finditer(sentence)]
    if not places:
        last = max(years_in(around), default=None)
        return {} if last is None else {last: _NEAREST, last - 1: _NAMED}
    years = list(dict.fromkeys(year for _, year in places))
    if len(years) == 1:
        return _weigh_only_year(sentence, at, *places[0])
    order = sorted([*starts, at])
    gaps = (sentence[first + 4 : second] for (first, _), (second, _) in pairwise(places))
    is_listed = "respectively" in sentence or all(map(_LISTED.fullmatch, gaps))
    if is_listed and len(order) == len(years):
        nearest = years[order.index(at)]
    else:
        nearest = min(places, key=lambda place: _distance(at, place[0], starts))[1]
    return {nearest - 1: _YEAR_BEFORE, **dict.fromkeys(years, _NAMED), nearest: _NEAREST}


def _weigh_only_year(sentence: str, at: int, place: int, year: int) -> dict[int, float]:
    """Weigh the only year named, which may be the one that the figure is compared with."""
    if place > at and _COMPARED.search(sentence[:place]):
        return {year + 1: _NEAREST, year: _NAMED}
    if place < at and _COMPARED.search(sentence[:at]):
        return {year - 1: _NEAREST, year: _NAMED}
    return {year: _NEAREST, year - 1: _NAMED}


def _distance(at: int, place: int, starts: Sequence[int]) -> int:
    """Measure how far a year is from the figure, in characters."""
    before = _CHARS_BEFORE if place < at else 0
    return abs(place - at) + _CHARS_ACROSS * _count_crossed(at, place, starts) + before
