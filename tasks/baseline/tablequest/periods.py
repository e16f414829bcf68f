"""Heads of columns as a question names them: `2017`, `December 31, 2017`, or quoted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile

from tasks.quantities.figures import FULL_MONTHS, MONTHS

_YEAR = re.compile(r"(?<![\d,.$])(?:19|20)\d\d(?![\d%]|[,.]\d)")
_DAY = re.compile(rf"(\b(?:{MONTHS})\b\.?)\s+(\d{{1,2}})(?!\d)", re.IGNORECASE)
_NOTE = re.compile(r"\((?:\d|[a-z])\)|[*†]+")
_FULL_YEAR = re.compile(
    r"\b(?:twelve|12)\s+months\b|\b(?:fifty-(?:two|three)|5[23])[\s-]+weeks?\b", re.IGNORECASE
)
_SCALE = re.compile(
    r"\(?(?:\b(?:dollars|amounts|u\.?s\.?|\$)\s*)*\bin (?:thousands|millions|billions)"
    r"(?:,? except [^)]*)?\)?",
    re.IGNORECASE,
)
# Words that a period's head may have besides its date.
_FILLER = re.compile(
    r"\b(?:for|the|as|of|at|and|fiscal|calendar|years?|ended|ending|end|on)\b|[\s,.:$-]",
    re.IGNORECASE,
)
# Columns that state no figures.
_NO_FIGURES = re.compile(
    r"\b(?:notes?|pages?|ages?|exhibits?|names?|positions?|forms?|dates?|items?|nos?|since|titles?"
    r"|ref\w*|file|hours|maturity)\b|#|\A%",
    re.IGNORECASE,
)
_CUT = re.compile(r"[^\W\d_]\d+\b|[“”\"]|-(?:\s|\Z)")  # `Assets1`, `Weighted- Average`
_MOST_CHARS = 60


@dataclass(frozen=True, slots=True)
class Period:
    """A column as a question names it."""

    when: str  # `in 2017`
    name: str = ""  # `2017`, as in `from 2016 to 2017`; "" if the head is not a period alone
    year: int | None = None


def columns_of(heads: Mapping[int, str], *, ended: bool = False) -> dict[int, Period]:
    """Name the columns that can be told apart, by their heads; `ended`: dates end years."""
    split = {c: head.split() for c, head in heads.items()}
    places = zip(*split.values(), strict=False)
    title = sum(1 for _ in takewhile(lambda words: len({*words}) == 1, places))
    rest = {c: _period(" ".join(words[title:]), ended=ended) for c, words in split.items()}
    found = {c: period for c, head in heads.items() if (period := _period(head, ended=ended))}
    if all(period and period.name for period in rest.values()):
        found = {c: period for c, period in rest.items() if period} | {
            c: period for c, period in found.items() if period.name
        }
    dated = {c: period for c, period in found.items() if period.name}
    if len({period.name.isdigit() for period in dated.values()}) > 1:  # a day over some of them
        found |= {
            c: Period(f"in {period.year}", str(period.year), period.year)
            for c, period in dated.items()
        }
    counts = Counter(period.when for period in found.values())
    return {c: period for c, period in found.items() if counts[period.when] == 1}


def _period(head: str, *, ended: bool) -> Period | None:
    """Read a head as one whole year, as one date, or else as words to quote."""
    said = " ".join(_NOTE.sub(" ", _SCALE.sub(" ", head)).split())
    text = _FULL_YEAR.sub(" ", said)
    years = set(_YEAR.findall(text))
    days = {*_DAY.findall(text)}
    if (
        len(years) == 1
        and len(days) <= 1
        and not _FILLER.sub("", _YEAR.sub("", _DAY.sub("", text)))
    ):
        (year,) = years
        name = f"fiscal {year}" if "fiscal" in head.lower() else year
        ends = ended or "ended" in head.lower() or "ending" in head.lower()
        for month, day in days:
            full = next(full for full in FULL_MONTHS.split("|") if full[:3] == month.title()[:3])
            if not ends:
                return Period(f"at {full} {day}, {year}", f"{full} {day}, {year}", int(year))
            if (full, day) != ("December", "31"):
                name = f"the year ended {full} {day}, {year}"
        return Period(f"in {name}", name, int(year))
    is_whole = said[:1].isupper() or said[:4] in years
    is_whole = is_whole and said.count("(") == said.count(")") and not _CUT.search(said)
    if not is_whole or len(said) > _MOST_CHARS or _NO_FIGURES.search(said):
        return None
    return Period(f"in the column “{said}”")
