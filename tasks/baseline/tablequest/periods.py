"""Columns by their period, `as of December 31, 2017`, or by words, `in the column “Level 2”`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from tasks.quantities.figures import FULL_MONTHS, MONTHS

_YEAR = re.compile(r"(?<![\d,.$])(?:19|20)\d\d(?![\d%]|[,.]\d)")
_MONTHS = rf"\b(?:{MONTHS})\b\.?"
_DAY = re.compile(rf"({_MONTHS})\s+(\d{{1,2}})(?!\d)", re.IGNORECASE)
_NOTE = re.compile(r"\((?:\d|[a-z])\)|[*†]+")
_FULL_YEAR = re.compile(
    r"\b(?:twelve|12)\s+months\b|\b(?:fifty-(?:two|three)|5[23])[\s-]+weeks?\b", re.IGNORECASE
)
_SCALE = re.compile(
    r"\(?(?:\b(?:dollars|amounts|u\.?s\.?|\$)\s*)*\bin (?:thousands|millions|billions)"
    r"(?:,? except [^)]*)?\)?",
    re.IGNORECASE,
)
# Words that a period's heading may have besides its date.
_FILLER = re.compile(
    r"\b(?:for|the|as|of|at|and|fiscal|calendar|years?|ended|ending|end|on)\b|[\s,.:$-]",
    re.IGNORECASE,
)


# Columns that state no figures, or figures about other columns.
_NO_FIGURES = re.compile(
    r"\b(?:notes?|pages?|ages?|exhibits?|names?|positions?|forms?|dates?|items?|nos?|since|titles?"
    r"|ref\w*|change[sd]?|increases?|decreases?|variance|vs|versus|file|hours|maturity)\b|#|\A%",
    re.IGNORECASE,
)
_ENDED = re.compile(r"\byears? end(?:ed|ing)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3}")
_CUT = re.compile(r"[^\W\d_]\d+\b|[“”\"]|-(?:\s|\Z)")  # `Assets1`, `Weighted- Average`
_PART_OF_YEAR = re.compile(r"\bquarters?\b|\bmonths?\b|\bweeks?\b", re.IGNORECASE)
_CAPTION = re.compile(r"\A\W*\(?[^()]*\bin (?:thousands|millions|billions)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Period:
    """A column as a question names it."""

    year: int | None
    when: str  # `in 2017`
    name: str  # `2017`, as in `from 2016 to 2017`; "" if it is not a period alone
    is_date: bool  # a day, as of a balance
    words: str = ""  # what the head says besides the period


def columns_of(heads: Sequence[Sequence[str]]) -> dict[int, Period]:
    """Read the columns that can be named for certain, by the rows of heads above the figures."""
    width = max(map(len, heads), default=0)
    parts = {c: _parts(heads, c) for c in range(1, width)}
    # `Years Ended` often stands over the labels, beside the dates
    stub = " ".join(row[0] for row in heads if row)
    ended = "ended " if _ENDED.search(stub) and not _PART_OF_YEAR.search(stub) else ""
    shared = set.intersection(*map(set, parts.values())) if len(parts) > 1 else set()
    # a title is over all columns, at the top; what all columns end with is part of their names
    tops = {each[0] for each in parts.values() if each}
    titles = {part for part in shared & tops if not _YEAR.search(part)} if len(tops) == 1 else set()
    # fiscal years end on other days than December 31, if one does
    is_exact = any(
        period and period.name.startswith("the year")
        for period in (period_of(ended + " ".join(each)) for each in parts.values())
    )
    lower = {pair for each in parts.values() for pair in pairwise(each)}
    groups = {one for one, count in Counter(one for one, _ in lower).items() if count > 1}
    is_even = len({len(each) for each in parts.values()}) == 1
    has_parts = any(_PART_OF_YEAR.search(_FULL_YEAR.sub("", " ".join(p))) for p in parts.values())
    found = {}
    for c, all_parts in parts.items():
        period = period_of(ended + " ".join(all_parts), is_exact=is_exact)
        if period is None and is_even:
            period = _by_words([part for part in all_parts if part not in titles], groups)
        if period is not None and (is_even or not has_parts):
            found[c] = period
    found = _named_alike(found)
    counts = Counter(period.when for period in found.values())
    return {c: period for c, period in found.items() if counts[period.when] == 1}


def _named_alike(found: dict[int, Period]) -> dict[int, Period]:
    """Name periods by their years alone if the heads give only some of them a day."""
    names = [period.name for period in found.values() if period.name]
    if len({name.isdigit() for name in names}) < 2:
        return found
    return {
        c: Period(period.year, f"in {period.year}", str(period.year), False)
        if period.name
        else period
        for c, period in found.items()
    }


def _parts(heads: Sequence[Sequence[str]], c: int) -> list[str]:
    """Return the distinct texts over a column, from the top."""
    texts = (" ".join(row[c].split()) for row in heads if c < len(row))
    return list(dict.fromkeys(text for text in texts if text and not _CAPTION.match(text)))


def _by_words(parts: Sequence[str], groups: Set[str]) -> Period | None:
    """Read a head whose parts are words and perhaps a period."""
    dated = [part for part in parts if _YEAR.search(part) or _DAY.search(part)]
    period = period_of(" ".join(dated)) if dated else None
    words = [_NOTE.sub("", part).strip() for part in parts if part not in dated]
    if (dated and period is None) or not words or len(words) > 2:
        return None
    said = (", " if words[0] in groups else " ").join(words)
    is_named = all(part[:1].isupper() and _WORD.search(part) for part in words)
    is_whole = said.count("(") == said.count(")") and not _CUT.search(said)
    if not (is_named and is_whole) or len(said) > 60 or _NO_FIGURES.search(said):
        return None
    when = f"in the column “{said}”" + (f" {period.when}" if period else "")
    return Period(period.year if period else None, when, "", False, said)


def period_of(head: str, *, is_exact: bool = False) -> Period | None:
    """Read a head that names one whole year or one date and nothing else, or return None."""
    text = _FULL_YEAR.sub(" ", _NOTE.sub(" ", _SCALE.sub(" ", head)))
    years = sorted(set(_YEAR.findall(text)))
    days = {(month, day) for month, day in _DAY.findall(text)}
    left = _FILLER.sub("", _YEAR.sub(" ", _DAY.sub(" ", text)))
    if len(years) != 1 or len(days) > 1 or left:
        return None
    year = years[0]
    ends = "ended" in head.lower() or "ending" in head.lower()
    if days:
        month, day = days.pop()
        month = next(full for full in FULL_MONTHS.split("|") if full[:3] == month.title()[:3])
        date = f"{month} {day}, {year}"
        if not ends:
            return Period(int(year), f"as of {date}", date, True)
        if is_exact or (month, day) != ("December", "31"):
            name = f"the year ended {date}"
            return Period(int(year), f"in {name}", name, False)
    name = f"fiscal {year}" if "fiscal" in head.lower() else year
    return Period(int(year), f"in {name}", name, False)
