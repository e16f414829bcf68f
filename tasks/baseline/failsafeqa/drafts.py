"""Drafts of questions and answers that the weightless engine finds in a context."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Draft:
    """One exchange that a context supports."""

    terse: str  # the query, as a hurried user types it
    answer: str  # taken from the context, with its units
    start_char: int  # where the context states it
    task: str  # qa or tg
