"""Phrases of filings: which labels name a measure, and how they read inside a sentence."""

from __future__ import annotations

import re

YEAR = re.compile(r"\b(?:19|20)\d\d\b")

# A label or subject without one of these nouns says too little: "Other", "Canada", "The first".
_MEASURES = re.compile(
    r"\b(?:revenues?|sales|income|expenses?|costs?|assets|liabilities|equity|debt|cash|deposits"
    r"|loans?|earnings|profits?|loss(?:es)?|margins?|dividends?|inventor(?:y|ies)|receivables?"
    r"|payables?|tax(?:es)?|depreciation|amortization|interest|capital|employees|employment"
    r"|backlog|securities|investments?|goodwill|expenditures?|premiums?|provision|allowance"
    r"|charge-offs|borrowings|surplus|deficit|proceeds|rent|compensation|shares|deliveries|volume"
    r"|production|reserves|fees|claims|purchases|repurchases|acquisitions?|shipments|orders"
    r"|benefit|contributions|obligations|commitments|notes|bonds|leases|royalties|grants|credits?"
    r"|working capital|stock|operations|activities|EBITDA|FFO|property|equipment|rate|yield|ratio"
    r"|price|spending|write-offs?)\b",
    re.IGNORECASE,
)

UP = re.compile(
    r"(?<![\w-])(?:increas\w*|rise|rises|rose|risen|grow\w*|grew|growth|exceed\w*"
    r"|(?:more|higher|greater|larger)\b(?=.*\bthan))(?![\w-])",
    re.IGNORECASE,
)
DOWN = re.compile(
    r"(?<![\w-])(?:decreas\w*|declin\w*|fall|falls|fell|fallen|drop\w*|shr[iau]nk\w*|reduc\w*"
    r"|(?:less|lower|fewer|smaller)\b(?=.*\bthan))(?![\w-])",
    re.IGNORECASE,
)

_ASKS_HOW_FAR = re.compile(
    r"\b(?:by (?:how much|what)\b|(?:percent(?:age)?|what (?:is|was|are|were) the(?: \w+)?) "
    rf"(?={UP.pattern}|{DOWN.pattern}))(?P<change>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ANY_CHANGE = re.compile(r"\b(?:chang|differ)", re.IGNORECASE)


def direction_of(text: str) -> int:
    """Return 1 if a text speaks of an increase, -1 of a decrease, and 0 of neither or both."""
    return bool(UP.search(text)) - bool(DOWN.search(text))


def asked_direction(question: str) -> int:
    """Return the direction of the change that a question asks for: `by how much did it fall`.

    It is 0 if the question asks for something else, whatever changes it names, or for any change.
    """
    asked = _ASKS_HOW_FAR.search(question)
    return direction_of(asked["change"]) if asked and not _ANY_CHANGE.search(question) else 0


def names_a_measure(label: str) -> bool:
    """Check whether a label says what is measured."""
    return bool(_MEASURES.search(label))


def capitalised(text: str) -> str:
    """Write a text's first letter in upper case, but not that of `iPod`."""
    if text[1:2].isupper():
        return text
    return text[:1].upper() + text[1:]


_AFTER_HEAD = re.compile(
    r"\s(?:of|for|in|from|on|to|at|per|under|before|after|with|by|available(?!-)|used|provided|"
    r"payable|due|owed|attributable)\b|"
    r"\s?[(–—]| - |,\s(?:net|gross|basic|diluted|current|noncurrent|less|excluding|including)\b",
    re.IGNORECASE,
)


_DONE = re.compile(r"\s(?:[a-z]+ed|written|sold|paid)\Z")  # `shares purchased` are shares


def is_plural(phrase: str) -> bool:
    """Check whether a noun phrase takes `were`, by its head: the last word before a preposition."""
    head = _AFTER_HEAD.split(phrase, maxsplit=1)[0]
    last = _DONE.sub("", head.strip()).rpartition(" ")[2]
    if last.isupper():
        return False  # an acronym is one thing
    last = last.lower()
    is_singular = last.endswith(("ss", "us", "is", "'s", "’s")) or last == "series"
    return last.endswith("s") and not is_singular
