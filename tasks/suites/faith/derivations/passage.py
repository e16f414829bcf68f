"""A sentence with a masked figure, and what its words say.

They say what kind of quantity is hidden (a level, a change, a part of a whole), its period and
direction, and its name. Only the passage is read, never the figure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from tasks.quantities.figures import Figure, find_figures
from tasks.suites.faith.derivations.periods import When, period_of
from tasks.suites.faith.derivations.phrases import phrase_of, weighed
from tasks.suites.faith.derivations.roles import Role, role_of
from tasks.suites.faith.masking import MASK
from tasks.suites.shared.tables.words import term_set, terms_of
from tasks.text.sentences import Span

_PAGE = re.compile(r"\bTable of Contents\s")
_SUM = re.compile(
    r"\b(?:total\w*|combined|aggregate\w*|together|sum|collectively)\b", re.IGNORECASE
)
_SUPPOSES = re.compile(r"\b(?:would|could|hypothetical\w*)\b", re.IGNORECASE)
_PER_THING = re.compile(
    r"\)?\s*(?:per|a|each)\s+(?!cent\b|year\b|annum\b)(?:[\w-]+\s+){0,4}?(?:share|unit|barrel|boe|bbl|ton|mcf)\b",
    re.IGNORECASE,
)
_CHANGE_PER_THING = re.compile(
    r"\)?\s+(?:increase|decrease|decline|reduction|rise)s?\s+in\s+(?:[\w-]+\s+){0,4}?per\s+[a-z]",
    re.IGNORECASE,
)
# What the figure is a part of: `as a percentage of [this] was 5%`, `5% of [this]`.
_WHOLE_ENDS = (
    r"(?=\s+(?:was|were|is|are|in|for|during|at|as|compared|from|to|by|increased|decreased|improved"
    r"|declined|which|and)\b|[,.;:()]|\Z)"
)
_WHOLE_BEFORE = re.compile(
    rf"\bas\s+an?\s+(?:percentage|percent|%)\s+(?:of|to)\s+"
    rf"(?P<whole>[^.;:]{{3,70}}?){_WHOLE_ENDS}",
    re.IGNORECASE,
)
_WHOLE_AFTER = re.compile(
    rf"\)?\s+of\s+(?:our\s+|the\s+|its\s+)*(?P<whole>[^.;:]{{3,70}}?){_WHOLE_ENDS}",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\)?\s*(?:percentage\s+|percent\s+)?points?\b", re.IGNORECASE)

# Weight of words in neighbouring sentences, relative to 1 in the sentence itself.
_BEFORE, _AFTER = 0.35, 0.1
_N_BEFORE, _N_AFTER = 400, 250  # characters of them that are near enough
_MOST_FIGURES = 20  # a neighbour with more is a list


@dataclass(frozen=True, slots=True)
class Passage:
    """A masked sentence and its neighbours, each "" if there is none."""

    before: str
    masked: str  # holds `[MASK]` once, in place of the figure
    after: str

    @classmethod
    def read(cls, text: str) -> Passage:
        """Read a query's lines; the one with the mask is the sentence.

        Raises:
            ValueError: no line has a mask.
        """
        lines = text.split("\n")
        place = next((index for index, line in enumerate(lines) if MASK in line), None)
        if place is None:
            raise ValueError(f"no {MASK} in the passage {text[:80]!r}")
        return cls("\n".join(lines[:place]), lines[place], "\n".join(lines[place + 1 :]))

    @property
    def sentence(self) -> str:
        """The masked sentence in one line, without a page's header."""
        return _PAGE.sub("", " ".join(self.masked.split()))

    @property
    def near(self) -> tuple[str, str]:
        """The characters before and after the sentence that are near enough."""
        return self.before[-_N_BEFORE:], self.after[:_N_AFTER]


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """Another figure of the passage, with what its own sentence says of it."""

    figure: Figure
    role: Role
    when: When
    terms: dict[str, float]  # as of the masked figure
    phrase: frozenset[str]
    is_tight: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """What a passage says of its masked figure."""

    terms: dict[str, float]  # stem -> how far it speaks of the figure, 0 to 1, with neighbours
    phrase: frozenset[str]  # the terms of the phrase that names it, known to a table or not
    is_tight: bool  # whether that phrase surely does
    beside: tuple[Beside, ...]  # the other figures of the sentence
    near: tuple[Beside, ...]  # the figures of the neighbouring sentences
    role: Role
    direction: int  # 1 up, -1 down, 0 unsaid
    when: When
    sums: bool  # whether the words speak of a sum
    says_whole: bool  # whether the sentence says of what it is a part
    supposes: bool  # whether the sentence says what would be, not what is
    points: bool  # whether they speak of percentage points
    changes_rate: bool  # whether it is the change of an amount per thing
    per_thing: bool  # whether the words speak of an amount per share or other thing


def read_passage(passage: Passage, *, in_points: bool = False) -> Reading:
    """Read what the words around the mask say.

    Args:
        in_points: whether the masked figure itself says percentage points.

    Raises:
        ValueError: the sentence has no mask.
    """
    text = passage.sentence
    start = text.find(MASK)
    if start < 0:
        raise ValueError(f"no {MASK} in the sentence {passage.masked[:80]!r}")
    at = Span(start, start + len(MASK))
    figures = [figure for figure in find_figures(text) if figure.unit != "year"]
    others = [Span(figure.start_char, figure.end_char) for figure in figures]
    role, direction = role_of(text, at, others)
    phrase, is_tight = phrase_of(text, at, others)
    around = f"{passage.before} {passage.after}"
    when = period_of(text, at, others, role, passage.before or passage.after)
    return Reading(
        terms=_with_neighbours(weighed(text, at, others, phrase), passage),
        phrase=phrase,
        is_tight=is_tight,
        beside=tuple(_beside(text, figure, [at, *others], around) for figure in figures),
        near=figures_of(passage.before) + figures_of(passage.after),
        role=role,
        direction=direction,
        when=when,
        sums=bool(_SUM.search(text)),
        says_whole=_says_whole(text, at, role),
        supposes=bool(_SUPPOSES.search(text)),
        points=in_points or bool(_POINTS.match(text, at.end_char)),
        changes_rate=bool(_CHANGE_PER_THING.match(text, at.end_char)),
        per_thing=bool(_PER_THING.match(text, at.end_char)),
    )


@lru_cache(maxsize=64)
def figures_of(neighbour: str) -> tuple[Beside, ...]:
    """Read the figures of a neighbouring sentence."""
    text = " ".join(neighbour.split())
    figures = [figure for figure in find_figures(text) if figure.unit != "year"]
    if len(figures) > _MOST_FIGURES:
        return ()
    places = [Span(figure.start_char, figure.end_char) for figure in figures]
    return tuple(_beside(text, figure, places, "") for figure in figures)


def says_points(figure: Figure) -> bool:
    """Check whether a figure says percentage points."""
    return figure.measure == "percentage point"


def _says_whole(text: str, at: Span, role: Role) -> bool:
    found = _WHOLE_BEFORE.search(text[: at.start_char])
    if found is None and role == "share":
        found = _WHOLE_AFTER.match(text, at.end_char)
    return bool(found and term_set(found["whole"]))


def _beside(text: str, figure: Figure, places: list[Span], around: str) -> Beside:
    at = Span(figure.start_char, figure.end_char)
    others = [place for place in places if place != at]
    role, _ = role_of(text, at, others)
    phrase, is_tight = phrase_of(text, at, others)
    return Beside(
        figure,
        role,
        period_of(text, at, others, role, around),
        weighed(text, at, others, phrase),
        phrase,
        is_tight,
    )


def _with_neighbours(weights: dict[str, float], passage: Passage) -> dict[str, float]:
    for text, weight in zip(passage.near, (_BEFORE, _AFTER), strict=True):
        for term in terms_of(text):
            weights[term] = max(weights.get(term, 0.0), weight)
    return weights
