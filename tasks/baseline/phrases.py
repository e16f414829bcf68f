"""How labels of filings read inside a sentence."""

from __future__ import annotations

import re

_AFTER_HEAD = re.compile(
    r"\s(?:of|for|in|from|on|to|at|per|under|before|after|with|by|available(?!-)|used|provided|"
    r"payable|due|owed|attributable)\b|"
    r"\s?[(–—]| - |,\s(?:net|gross|basic|diluted|current|noncurrent|less|excluding|including)\b",
    re.IGNORECASE,
)


_DONE = re.compile(r"\s(?:[a-z]+ed|written|sold|paid)\Z")  # `shares purchased` are shares


def capitalised(text: str) -> str:
    """Write a text's first letter in upper case, but not that of `iPod`."""
    if text[1:2].isupper():
        return text
    return text[:1].upper() + text[1:]


def is_plural(phrase: str) -> bool:
    """Check whether a noun phrase takes `were`, by its head: the last word before a preposition."""
    head = _AFTER_HEAD.split(phrase, maxsplit=1)[0]
    last = _DONE.sub("", head.strip()).rpartition(" ")[2]
    if last.isupper():
        return False  # an acronym is one thing
    last = last.lower()
    is_singular = last.endswith(("ss", "us", "is", "'s", "’s")) or last == "series"
    return last.endswith("s") and not is_singular
