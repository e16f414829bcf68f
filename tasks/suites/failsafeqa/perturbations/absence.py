"""A check that a context lacks an answer's figures and names.

A report states thousands of figures, so one of the answer's stands somewhere by chance. It counts
only if its passage has a word of the query, too.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Set
from dataclasses import dataclass, field, replace
from decimal import Decimal

from tasks.core.rows import QAPair
from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.text.retrieval import Passage, index_of
from tasks.text.terms import names_in

# Names in reports of every company, and of forms of text that a query asks for: that they occur
# says nothing.
_NAMES = (
    "accounting standards, america, blog, ceo, cfo, common stock, congress, delaware, ebitda, eps, "
    "exchange act, fasb, form 10-k, gaap, html, internal revenue code, irs, linkedin, "
    "management's discussion and analysis, nasdaq, new york, new york stock exchange, nyse, r&d, "
    "sec, securities act, securities and exchange commission, treasury, u.s, u.s., united states, "
    "us, usa"
)
_NAMES_OF_EVERY_REPORT = frozenset(_NAMES.split(", "))
_CORPORATE = re.compile(
    r"(?:,?\s+(?:inc|incorporated|corp|corporation|co|company|ltd|limited|llc|plc|l\.?p|group|holdings)\b\.?)+\Z",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"\s+")
_SCALED = re.compile(
    r"(?:hundred|thousand|million|billion|trillion|%|percent|bps|points?)", re.IGNORECASE
)
_TABLE_SCALES = (0, 3, 6)  # as written, and as tables in thousands or millions mean it
_DISTINCTIVE_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a context must hold to answer a query as its pair does."""

    figures: tuple[Figure, ...]
    names: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.figures or self.names)


def evidence_of(pair: QAPair, context: str = "") -> Evidence:
    """Find a pair's figures without years, and its names.

    Names count in query and answer, unless the pair's own context also writes them in small
    letters: "the Court" is no name. If there are figures of three or more significant digits, only
    those count: "12 months" says nothing beside "$34,512".
    """
    figures = [figure for figure in find_figures(pair.answer) if figure.unit != "year"]
    distinctive = [
        figure for figure in figures if _significant_digits(figure.value) >= _DISTINCTIVE_DIGITS
    ]
    found = dict.fromkeys([*telling_names(pair.query), *telling_names(pair.answer)])
    names = [name for name in found if not _mentions(context, name)]
    return Evidence(figures=tuple(distinctive or figures), names=tuple(names))


def telling_names(text: str) -> list[str]:
    """Find a text's core names, except those in every company's reports."""
    names = dict.fromkeys(core_name(name) for name in names_in(text))
    return [name for name in names if name and name not in _NAMES_OF_EVERY_REPORT]


def core_name(name: str) -> str:
    """Drop a name's legal form and capitals: "Aeroflex Inc." -> "aeroflex"."""
    return _CORPORATE.sub("", _BLANKS.sub(" ", name.replace("’", "'")).casefold()).strip(" .,")


@dataclass(frozen=True, slots=True)
class Facts:
    """The figures and the text of one context, indexed for search."""

    text: str  # lower case, single spaces
    figures: tuple[Figure, ...]  # by absolute value, as written and as tables may mean it
    values: tuple[float, ...] = field(repr=False)  # their absolute values
    passages: tuple[Passage, ...] = field(repr=False)  # in text order
    starts: tuple[int, ...] = field(repr=False)  # of the passages

    @classmethod
    def of(cls, text: str) -> Facts:
        read: set[Figure] = set()
        for figure in find_figures(text):
            if figure.unit == "year":
                continue
            bare = figure.unit in ("count", "money") and not _SCALED.search(figure.text)
            for power in _TABLE_SCALES if bare else (0,):
                read.add(
                    replace(
                        figure,
                        text="",
                        value=abs(figure.value).scaleb(power),
                        decimals=figure.decimals - power,
                    )
                )
        ordered = tuple(
            sorted(
                read,
                key=lambda figure: (figure.value, figure.unit, figure.decimals, figure.start_char),
            )
        )
        passages = tuple(index_of(text).passages)
        return cls(
            text=_BLANKS.sub(" ", text.replace("’", "'")).casefold(),
            figures=ordered,
            values=tuple(float(figure.value) for figure in ordered),
            passages=passages,
            starts=tuple(passage.start_char for passage in passages),
        )

    def has_figure(self, figure: Figure, terms: Set[str]) -> bool:
        """Check whether a passage with one of the terms may state the same quantity."""
        value = abs(float(figure.value))
        # rounding to one digit changes a value by at most half
        near = slice(bisect_left(self.values, value / 2), bisect_right(self.values, value * 2))
        others = self.figures if figure.unit == "bps" else self.figures[near]
        return any(
            same_figure(figure, other) and self._has_term(other.start_char, terms)
            for other in others
            if figure.unit != "bps" or other.unit in ("percent", "bps")
        )

    def _has_term(self, place: int, terms: Set[str]) -> bool:
        """Check whether the passage at a place has a term; True if no passage is there."""
        number = bisect_right(self.starts, place) - 1
        if number < 0 or place >= self.passages[number].end_char:
            return True
        passage = self.passages[number]
        return not terms.isdisjoint(passage.terms) or not terms.isdisjoint(passage.surroundings)

    def has_name(self, name: str) -> bool:
        """Check whether the context mentions a core name, as whole words."""
        return _mentions(self.text, name)

    def found(self, evidence: Evidence, terms: Set[str]) -> list[str]:
        """Find the evidence that the context holds, if any; see `has_figure` for the terms."""
        figures = [figure.text for figure in evidence.figures if self.has_figure(figure, terms)]
        return figures + [name for name in evidence.names if self.has_name(name)]


def _mentions(text: str, name: str) -> bool:
    """Check whether a text has a name as whole words, in this spelling."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            return True
        start = text.find(name, start + 1)
    return False


def _significant_digits(value: Decimal) -> int:
    return len("".join(map(str, value.as_tuple().digits)).strip("0"))
