"""Sources of misspellings: an English word list and a dictionary of known typos.

The word list is pyspellchecker's English frequency list: 160,000 words with counts from film
subtitles, so it includes first names and slang. The typos are codespell's dictionary, which grew
out of Wikipedia's list of common misspellings, read from right to wrong. Both are installed
packages, read once per process (0.1 s each) and only when a query is misspelled.
"""

from __future__ import annotations

import gzip
import json
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from string import ascii_lowercase
from typing import NamedTuple

# A real-word confusion must be a word that people know; 1,000 keeps 19,000 words.
KNOWN_WORD_COUNT = 1000


@cache
def word_set(name: str) -> frozenset[str]:
    """Load a set of `misspelled.toml`, which says what each is for."""
    text = files(__package__).joinpath("misspelled.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)[name].split())


@cache
def word_counts() -> dict[str, int]:
    """Load how often each English word occurs; words of letters only."""
    packed = files("spellchecker").joinpath("resources", "en.json.gz").read_bytes()
    return {
        word: n
        for word, n in json.loads(gzip.decompress(packed)).items()
        if word.isascii() and word.isalpha()
    }


@cache
def typos() -> dict[str, tuple[str, ...]]:
    """Load each word's misspellings, in the dictionary's order.

    Left out are entries with several fixes or a note (a comma marks both), and entries that are not
    one plain word on either side.
    """
    listed: dict[str, list[str]] = {}
    text = files("codespell_lib").joinpath("data", "dictionary.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        wrong, arrow, right = line.partition("->")
        if arrow and wrong.isascii() and wrong.isalpha() and right.isascii() and right.isalpha():
            listed.setdefault(right.lower(), []).append(wrong.lower())
    return {right: tuple(wrong) for right, wrong in listed.items()}


@lru_cache(maxsize=1 << 12)
def confusions(word: str) -> tuple[str, ...]:
    """Find known words one letter or swap from a lower-case word, but no plural or past tense."""
    counts = word_counts()
    near = {
        word[:i] + letter + word[i:] for i in range(len(word) + 1) for letter in ascii_lowercase
    }
    for i in range(len(word)):
        near.add(word[:i] + word[i + 1 :])
        near.update(word[:i] + letter + word[i + 1 :] for letter in ascii_lowercase)
        near.add(word[:i] + word[i + 1 : i + 2] + word[i] + word[i + 2 :])
    near.discard(word)
    return tuple(sorted(other for other in near if _is_confusable(word, other, counts)))


def _is_confusable(word: str, other: str, counts: dict[str, int]) -> bool:
    if counts.get(other, 0) < KNOWN_WORD_COUNT or len(other) < 2:
        return False
    if len(other) == 2 and other not in word_set("short_parts"):
        return False
    if other in word_set("unfit_results") or other in word_set("meaning_changers"):
        return False
    if word in word_set("question_words") and other in word_set("question_words"):
        return False
    longer, shorter = (word, other) if len(word) > len(other) else (other, word)
    return not (longer[:-1] == shorter and longer[-1] in "sdr")


class Breaks(NamedTuple):
    """Where a word splits into two others."""

    known: tuple[int, ...]  # frequent words of three letters or more, or one of a few short ones
    listed: tuple[int, ...]  # any words of two letters or more: many of them are rare


@lru_cache(maxsize=1 << 12)
def compound_breaks(word: str) -> Breaks:
    """Find where a lower-case word splits: known `news|paper`, `in|come`; listed `con|version`."""
    counts, short = word_counts(), word_set("short_parts")
    known: list[int] = []
    listed: list[int] = []
    for place in range(2, len(word) - 1):
        parts = word[:place], word[place:]
        if all(
            part in short if len(part) == 2 else counts.get(part, 0) >= KNOWN_WORD_COUNT
            for part in parts
        ):
            known.append(place)
        elif all(part in counts for part in parts):
            listed.append(place)
    return Breaks(tuple(known), tuple(listed))
