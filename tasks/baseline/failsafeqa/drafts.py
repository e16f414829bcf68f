"""Drafts of questions and answers that the weightless engine finds in a context."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.suites.shared.phrases import is_plural

_AFTER_HEAD = re.compile(r"\s(?:as|assuming|classified|outstanding|exercisable)\b")


@dataclass(frozen=True, slots=True)
class Draft:
    """One exchange that a context supports."""

    terse: str  # the query, as a hurried user types it
    answer: str  # taken from the context, with its units
    start_char: int  # where the context states it
    task: str  # qa or tg


def is_many(measure: str) -> bool:
    """Check whether a measure takes `were`: `shares outstanding`, `assets classified as held`."""
    return is_plural(_AFTER_HEAD.split(measure, maxsplit=1)[0])
