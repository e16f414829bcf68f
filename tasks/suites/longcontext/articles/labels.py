"""Sentiments as files and models write them, on one scale of three."""

from __future__ import annotations

import re

SENTIMENTS = ("positive", "neutral", "negative")

_DEGREE = r"(?:(?:very|extremely|strongly|somewhat|slightly|moderately|mildly)[\s_-]+)?"
_WORDS = {
    "positive": re.compile(rf"{_DEGREE}(?:positive|pos|bullish)", re.IGNORECASE),
    "neutral": re.compile(r"neutral|neu", re.IGNORECASE),
    "negative": re.compile(rf"{_DEGREE}(?:negative|neg|bearish)", re.IGNORECASE),
}


def read_sentiment(label: str) -> str | None:
    """Read a label, with or without a degree; None if it is none."""
    said = label.strip()
    return next((name for name, words in _WORDS.items() if words.fullmatch(said)), None)
