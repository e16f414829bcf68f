"""Short answers: their kind, whether a passage has one, and whether a reply is one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from tasks.quantities.figures import FULL_MONTHS, Figure, find_figures, same_figure
from tasks.suites.shared.figure_match import (
    ANOTHER_CURRENCY,
    ANOTHER_NUMBER,
    ANOTHER_UNIT,
    EMPTY,
    OPPOSITE_SIGN,
    is_figure,
    match_figures,
)
from tasks.text.retrieval import Index

Kind = Literal["money", "percent", "number", "date", "text"]

_DATE = re.compile(
    rf"(?:the )?(?:fiscal (?:year )?)?(?:(?:{FULL_MONTHS}) (?:\d{{1,2}},? )?)?(?:18|19|20)\d\d",
    re.IGNORECASE,
)
_DIFFERS = {ANOTHER_NUMBER, OPPOSITE_SIGN, ANOTHER_CURRENCY, ANOTHER_UNIT, EMPTY}
_MOST_WORDS = 8  # of a short answer that is no figure
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


def has_amount(text: str) -> bool:
    """Whether a text has a figure that is no year."""
    return any(kind_of(figure.text) != "date" for figure in find_figures(text))


def is_long(answer: str) -> bool:
    """Whether an answer is neither one figure nor a few words."""
    return not is_figure(answer) and len(answer.split()) > _MOST_WORDS


def holds(text: str, answer: str) -> bool:
    """Whether a text has an answer, whatever it says of it: signal must, and noise must not."""
    figure = figure_of(answer)
    if figure is None or kind_of(answer) == "date":
        return words(answer) in words(text)
    # an excerpt of a table may lack the scale
    digits = _DIGITS.search(answer)
    is_written = digits and len(digits[0]) > 2 and words(digits[0]) in words(text)
    return bool(is_written) or any(same_figure(other, figure) for other in _figures(text))


def is_right(reply: str, answers: Sequence[str], query: str = "") -> bool | None:
    """Whether a reply is one of the answers and nothing else; None if no rule decides that.

    A sentence with the right figure may state it of something else, so it is left to models.
    """
    readings = [_is(reply, answer, query) for answer in answers]
    return True if True in readings else None if None in readings else False


def _is(reply: str, answer: str, query: str) -> bool | None:
    if kind_of(answer) in ("text", "date"):
        return words(reply) == words(answer) or None
    match = match_figures(reply, answer, question=query)
    if match.reason in _DIFFERS:
        return False
    if match.correct and is_figure(reply):
        return True
    return None if match.correct or holds(reply, answer) else False


def words(text: str) -> str:
    """Return a text's words in lower case, between blanks."""
    return f" {' '.join(''.join(c if c.isalnum() else ' ' for c in text.casefold()).split())} "


@lru_cache(maxsize=512)  # a filing's questions look at the same passages
def _figures(text: str) -> tuple[Figure, ...]:
    """Return the figures of a text, those of tables in the table's scale."""
    return tuple(figure for passage in Index(text).passages for figure in passage.figures)
