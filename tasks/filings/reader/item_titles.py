"""Titles of Form 10-K's Items, their order and their Parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from tasks.text.terms import words

# The form's titles, and the wordings that filers use instead, over the years and on Form 10-KSB.
# Plurals and words such as "the registrant's" make no difference, so they need no entry.
TITLES: dict[str, tuple[str, ...]] = {
    "1": ("business", "description of business", "business and properties", "general"),
    "1A": ("risk factors",),
    "1B": ("unresolved staff comments",),
    "1C": ("cybersecurity",),
    "2": ("properties", "description of property"),
    "3": ("legal proceedings",),
    "4": ("submission of matters to a vote of security holders", "mine safety disclosures"),
    "4A": ("executive officers of the registrant", "information about our executive officers"),
    "5": (
        "market for the registrant's common equity, related stockholder matters and issuer "
        "purchases of equity securities",
        "market for the registrant's common stock and related security holder matters",
        "market price of and dividends on the registrant's common equity and related "
        "shareholder matters",
        "market for common equity",
    ),
    "6": ("selected financial data", "selected consolidated historical financial information"),
    "7": (
        "management's discussion and analysis of financial condition and results of operations",
        "management's discussion and analysis or plan of operation",
        "management's discussion and analysis",
    ),
    "7A": (
        "quantitative and qualitative disclosures about market risk",
        "disclosures about market risk",
        "market risk",
    ),
    "8": (
        "financial statements and supplementary data",
        "consolidated financial statements and supplemental financial information",
        "financial statements and supplemental data",
        "financial statements",
    ),
    "9": (
        "changes in and disagreements with accountants on accounting and financial disclosure",
        "disagreements on accounting and financial disclosure",
    ),
    "9A": ("controls and procedures", "disclosure controls and procedures"),
    "9B": ("other information",),
    "9C": ("disclosure regarding foreign jurisdictions that prevent inspections",),
    "10": (
        "directors, executive officers and corporate governance",
        "directors and executive officers of the registrant",
        "directors, executive officers, promoters and control persons; compliance with "
        "section 16(a) of the exchange act",
    ),
    "11": ("executive compensation", "management remuneration"),
    "12": (
        "security ownership of certain beneficial owners and management and related "
        "stockholder matters",
        "security ownership of certain beneficial owners and management",
    ),
    "13": (
        "certain relationships and related transactions, and director independence",
        "certain relationships and related party transactions",
    ),
    "14": (
        "principal accountant fees and services",
        "principal accounting fees and services",
        "exhibits, financial statement schedules, and reports on form 8-K",
        "financial statement schedule and reports on form 8-K",
    ),
    "15": (
        "exhibits and financial statement schedules",
        "exhibits, financial statement schedules, and reports on form 8-K",
        "exhibits",
    ),
    "16": ("form 10-K summary", "principal accountant fees and services"),
}  # fmt: skip

_PARTS = {"1": 1, "5": 2, "10": 3, "15": 4}
_WORD = re.compile(r"[A-Za-z0-9&][A-Za-z0-9&’'\-‑]*")
_GLUE = frozenset(
    _WORD.findall(
        "a an and by for from in its of on or our regarding the to with about issuer issuers "
        "registrant registrants company companys corporation partnership trust fund"
    )
)
_FILER = words("registrant company issuer corporation partnership trust fund")
_EMPTY_TITLE = re.compile(
    r"[\[(]?\s*(?:(?:removed\s+and\s+)?reserved|(?:intentionally\s+)?omitted"
    r"|not\s+(?:applicable|required))\s*[\])]?",
    re.IGNORECASE,
)
_BREAKS_TITLE = re.compile(r"[.;:?!—|]|\n\s*\n|--|\.\.|\s-\s")
_OPTIONAL_START = " \n\t[("


@cache
def item_order(item: str) -> tuple[int, str]:
    """Return the key that sorts Items as the form does: 1, 1A, 1B, 2, ..., 16."""
    digits = item.rstrip("ABCD")
    return int(digits), item[len(digits) :]


def part_of(item: str) -> int:
    """Return the Part of the form that an Item belongs to, 1 to 4."""
    number, _ = item_order(item)
    return max(part for first, part in _PARTS.items() if int(first) <= number)


def stem(word: str) -> str:
    """Remove possessive and plural, so that filers' spellings of a title compare equal."""
    word = word.lower().replace("’", "'").replace("‑", "-")
    word = word.removesuffix("'s").removesuffix("'").removesuffix("s") if len(word) > 3 else word
    return word.replace("'", "")


@dataclass(frozen=True, slots=True)
class TitleMatch:
    """How far a text reads as an Item's title."""

    end_char: int  # where the title ends in the text
    share: float  # of the closest known title's words; 1.0 also for "[Reserved]" and similar


NO_TITLE = TitleMatch(0, 0.0)


def leads_title(item: str, words: Sequence[str]) -> bool:
    """Whether a heading is an Item's title or its leading words.

    `words` are the heading's `content_words`. After three equal words, one other may follow. A
    single word must be the whole title.
    """
    for title in _contents(item):
        same = 0
        while same < min(len(words), len(title)) and words[same] == title[same]:
            same += 1
        is_complete = len(words) == same or (same >= 3 and len(words) == same + 1)
        if same and is_complete and (same > 1 or len(title) == 1):
            return True
    return False


def content_words(title: str) -> tuple[str, ...]:
    """Return the stems of a title's words, without words that distinguish no titles."""
    stems = (stem(word) for word in _WORD.findall(title) if word.lower() not in _GLUE)
    return tuple(root for root in stems if root not in _GLUE)


@cache
def _contents(item: str) -> tuple[tuple[str, ...], ...]:
    return tuple(content_words(title) for title in TITLES.get(item, ()))


@cache
def _vocabulary(item: str) -> frozenset[str]:
    holders = words("stockholder shareholder shareowner share-owner securityholder")
    return _GLUE.union(holders, *_contents(item))


def skip(text: str, place: int, characters: str) -> int:
    """Return the first place from `place` on with none of these characters."""
    while place < len(text) and text[place] in characters:
        place += 1
    return place


def match_title(item: str, text: str, start: int) -> TitleMatch:
    """Read words from `start` on, as long as they are words of the Item's title.

    The title ends at the first word that no known title of this Item has, or at the end of a
    sentence or paragraph.
    """
    begin = skip(text, start, _OPTIONAL_START)
    empty = _EMPTY_TITLE.match(text, start) or _EMPTY_TITLE.match(text, begin)
    if empty:
        return TitleMatch(empty.end(), 1.0)
    if item not in TITLES:
        return TitleMatch(start, 0.0)
    vocabulary, seen, end, before = _vocabulary(item), set[str](), start, begin
    glue: list[str] = []
    for word in _WORD.finditer(text, begin, begin + 400):
        root = stem(word.group())
        if root not in vocabulary or _BREAKS_TITLE.search(text, before, word.start()):
            break
        before = word.end()
        is_glue = root in _GLUE
        if is_glue:
            glue.append(root)
        if not is_glue or (glue[:1] == ["of"] and root in _FILER):  # "... of the Registrant"
            end, glue = word.end(), []
            seen.add(root)
    if not seen:
        return TitleMatch(start, 0.0)
    return TitleMatch(
        end, max(len(seen.intersection(content)) / len(content) for content in _contents(item))
    )
