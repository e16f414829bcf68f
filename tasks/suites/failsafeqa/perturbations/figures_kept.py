"""Which amounts and years a rewriting loses or brings.

Digits in names of things (401(k), Chapter 11, SFAS 133, Boeing 737) are no amounts: someone who
does not know finance says "retirement savings" or "bankruptcy".
"""

from __future__ import annotations

import re
from decimal import Decimal

from tasks.quantities.figures import Figure, find_figures, same_figure

# Periods in digits that people also say in words, written alike before figures are read.
_SHORT_YEAR = re.compile(
    r"\b(?:(?:FY|Q[1-4]|[1-4]Q) ?['’]?|['’])(?:(?:19|20)(\d\d)|(\d\d))\b"
    r"|(?<=\bin )(\d\d)(?=[?.,;]*(?:\Z|\s+(?:and|or|vs|versus|than)\b))"  # "sales in 96"
)
_SPELLED = {
    re.compile(r"\b(?:three|3)[ -]months?\b", re.IGNORECASE): "quarter",
    re.compile(r"\b(?:twelve|12)[ -]months?\b", re.IGNORECASE): "year",
    re.compile(r"\b(?:(?:a|one) )?decade\b", re.IGNORECASE): "ten years",
    # names of rules and events that hold a year
    re.compile(r"\bAS[UC] (?:No\. )?(?:19|20)\d\d-\d\d\b|\bYear 2000\b"): "rule",
}
_FIRST_YEAR_OF_1900S = 60  # '60 is 1960, '59 is 2059
_NAME_BEFORE = re.compile(r"\b[A-Z][\w’'&-]*\s\Z")
_MONTHS_AND_OPENERS = re.compile(
    r"(?:\A|[.?!:]\s+)\W*\w+\s\Z|\b(?:In|For|About|Over|Under|Than|And|Or)\s\Z"
)
_NAME_AFTER = re.compile(r"[- ]?[A-Z][a-z]")


def lost_figures(query: str, rewritten: str) -> list[Figure]:
    """Return the amounts and years of a query that a rewriting does not state as exactly."""
    kept = figures_of(rewritten)
    return [
        figure for figure in figures_of(query) if not any(_states(other, figure) for other in kept)
    ]


def figures_of(query: str) -> list[Figure]:
    """Return a query's amounts and years, without the numbers in names."""
    text = _SHORT_YEAR.sub(_full_year, query)
    for spelled, word in _SPELLED.items():
        text = spelled.sub(word, text)
    return [figure for figure in find_figures(text) if not _is_in_a_name(text, figure)]


def _full_year(found: re.Match[str]) -> str:
    if found[1]:
        return f" {found[0][-4:]}"
    short = found[2] or found[3]
    return f" {'19' if int(short) >= _FIRST_YEAR_OF_1900S else '20'}{short}"


def _is_in_a_name(text: str, figure: Figure) -> bool:
    """Whether a bare number stands beside a capitalised word: `Boeing 737`, `7-Eleven`."""
    if figure.unit != "count" or not figure.text.isdigit():
        return False
    before, end = text[: figure.start_char], figure.end_char
    is_after_name = _NAME_BEFORE.search(before) and not _MONTHS_AND_OPENERS.search(before)
    return bool(is_after_name or _NAME_AFTER.match(text, end))


def _states(stated: Figure, wanted: Figure) -> bool:
    """Whether a figure is the same quantity and not rounded."""
    (said, said_decimals), (value, decimals) = _exactly(stated), _exactly(wanted)
    return same_figure(stated, wanted) and (said_decimals >= decimals or said == value)


def _exactly(figure: Figure) -> tuple[Decimal, int]:
    """Return an amount and its decimals, basis points in percent."""
    shift = 2 if figure.unit == "bps" else 0
    return abs(figure.value).scaleb(-shift), figure.decimals + shift
