"""Short answers: their kind, whether a passage states one, and whether a reply is one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from tasks.quantities.figures import FULL_MONTHS, MONTHS, Figure, find_figures, same_figure
from tasks.quantities.units import packaged_units
from tasks.suites.shared.figure_match import (
    ANOTHER_CURRENCY,
    ANOTHER_NUMBER,
    ANOTHER_UNIT,
    EMPTY,
    OPPOSITE_SIGN,
    beside_figures,
    is_figure,
    match_figures,
)
from tasks.text.retrieval import Index
from tasks.text.terms import STOP_WORDS, content_terms, stem

Kind = Literal["money", "percent", "number", "date", "text"]

_DATE = re.compile(
    rf"(?:the )?(?:fiscal (?:year )?)?(?:(?:{FULL_MONTHS}) (?:\d{{1,2}},? )?)?(?:18|19|20)\d\d",
    re.IGNORECASE,
)
_DIFFERS = {ANOTHER_NUMBER, OPPOSITE_SIGN, ANOTHER_CURRENCY, ANOTHER_UNIT, EMPTY}
_NUMERIC_DATE = re.compile(r"\d[/.-]\d{1,2}[/.-]\d")  # which may start with the day or the month
_DATE_PART = re.compile(rf"\d+|\b(?:{MONTHS})\b")
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
# Words of grammar that deny, doubt, or tell a change instead.
_DENIES = re.compile(
    r"\b(?:not?|never|neither|nor|might|could|would|up|down)\b|n['’]t\b", re.IGNORECASE
)
_DIGITS = re.compile(r"\d[\d,.]*\d")


def kind_of(answer: str) -> Kind:
    """Return the kind of an answer."""
    if _DATE.fullmatch(answer.strip().rstrip(".")):
        return "date"
    if not is_figure(answer):
        return "text"
    unit = figure_of(answer).unit  # type: ignore[union-attr]
    return "money" if unit == "money" else "percent" if unit in ("percent", "bps") else "number"


@lru_cache(maxsize=4096)
def figure_of(answer: str) -> Figure | None:
    """Return the figure that an answer is; None if it is none."""
    return next(iter(find_figures(answer, alone=True)), None) if is_figure(answer) else None


def holds(text: str, answer: str) -> bool:
    """Whether a text has an answer, whatever it says of it: noise must not."""
    figure = figure_of(answer)
    if figure is None or kind_of(answer) == "date":
        return words(answer) in words(text)
    # an excerpt of a table may lack the scale
    digits = _DIGITS.search(answer)
    is_written = digits and len(digits[0]) > 2 and words(digits[0]) in words(text)
    return bool(is_written) or any(same_figure(each, figure) for each in _figures(text))


def states(text: str, answer: str) -> bool:
    """Whether a text has all figures and terms of an answer, so that it can be cited for it."""
    if words(answer) in words(text):
        return True
    is_one = is_figure(answer)
    figures = find_figures(answer, alone=is_one)
    terms = set() if is_one else {*content_terms(answer)}
    has_figures = all(any(same_figure(each, one) for each in _figures(text)) for one in figures)
    return bool(figures or terms) and has_figures and terms <= {*content_terms(text)}


def is_right(reply: str, answers: Sequence[str], query: str = "") -> bool | None:
    """Whether a reply states one of the answers and no more; None if no rule decides that.

    What the query says, too, is no more: `Net sales in 2018 were $5 million.`
    """
    readings = [_states_only(reply, answer, query) for answer in answers]
    if True in readings:
        # a sentence may state it of something else, or deny it
        is_plain = any(words(reply) == words(answer) for answer in answers)
        return True if is_plain or not _DENIES.search(reply) else None
    return None if None in readings else False


def _states_only(reply: str, answer: str, query: str) -> bool | None:
    kind = kind_of(answer)
    if kind in ("text", "date") and words(reply) == words(answer):
        return True
    if kind == "date":
        replied, right = _date_parts(reply), _date_parts(answer)
        if right <= replied:
            return replied - right <= _date_parts(query) or None
        return None if _NUMERIC_DATE.search(reply) else False
    known = f"the final answer {answer} {query}"
    if kind == "text":
        return True if words(answer) in words(reply) and not _says_more(reply, known) else None
    match = match_figures(reply, answer, question=query)
    if match.reason in _DIFFERS:
        return False
    numbers = {*_NUMBER.findall(query)} - {*_NUMBER.findall(answer)}
    rest = _NUMBER.sub(lambda number: "" if number[0] in numbers else number[0], reply)
    if match.correct or match_figures(rest, answer, question=query).correct:
        return None if _says_more(beside_figures(reply), known) else True
    figures = find_figures(reply)
    is_stated = any(match_figures(figure.text, answer).correct for figure in figures)
    return None if is_stated or holds(reply, answer) else False


def _says_more(text: str, known: str) -> bool:
    """Whether a text has words that are neither in `known`, nor units, nor of grammar."""
    stems = {stem(word) for word in words(known).split()}
    return any(
        word not in STOP_WORDS and stem(word) not in stems and word not in packaged_units().names
        for word in words(text).split()
    )


def _date_parts(text: str) -> set[str]:
    """Return the numbers and months of a date, in whatever order they are written."""
    parts = _DATE_PART.findall(text)
    return {part[:3].lower() if part.isalpha() else part.lstrip("0") for part in parts}


def words(text: str) -> str:
    """Return a text's words in lower case, between blanks."""
    return f" {' '.join(''.join(c if c.isalnum() else ' ' for c in text.casefold()).split())} "


@lru_cache(maxsize=512)  # a filing's questions look at the same passages
def _figures(text: str) -> tuple[Figure, ...]:
    """Return the figures of a text, those of tables in the table's scale."""
    return tuple(figure for passage in Index(text).passages for figure in passage.figures)
