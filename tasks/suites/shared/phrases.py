"""Phrases of filings: which labels name a measure, and how they read inside a sentence."""

from __future__ import annotations

import re

from tasks.text.terms import words

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


# Words that begin labels and are never names, whether or not the context has them in lower case.
_LABEL_WORDS = words("""
    total net gross return average proceeds basic diluted accrued current accumulated deferred
    prepaid operating general common retained selling other consolidated adjusted weighted accounts
    long-term short-term research income
""")


# Words that stay small in a label whose other words have capitals.
_SMALL = words("from with under before after than over into less used paid held sold")


def in_running_text(label: str, lower_words: frozenset[str]) -> str:
    """Write a row's label as it reads inside a sentence: only names keep their capitals.

    A label in sentence case has capitals only for names. Words that `and` joins are names together:
    `Water and Wastewater revenues`.
    """
    words = label.split(" ")
    if label.isupper():
        words = [word.lower() for word in words]
    has_lower = any(len(word) > 3 and word not in _SMALL and word.islower() for word in words)
    is_own = [word[:1].isupper() and not _is_generic(word) for word in words]
    is_name = [
        not word[1:].islower()
        or (is_own[n] if n and has_lower else not is_no_name(word.lower(), lower_words))
        for n, word in enumerate(words)
    ]
    if has_lower and is_own[0] and len(words) > 1 and is_own[1]:
        is_name[0] = is_name[1]
    for n in range(1, len(words) - 1):
        if words[n] in ("and", "&") and is_own[n - 1] and is_own[n + 1]:
            is_name[n - 1] = is_name[n + 1] = is_name[n - 1] or is_name[n + 1]
    return " ".join(
        word if keeps else word.lower() for word, keeps in zip(words, is_name, strict=True)
    )


def is_no_name(word: str, lower_words: frozenset[str]) -> bool:
    """Check whether a lower-case word may be written so inside a sentence."""
    return word.strip(",;.") in lower_words or _is_generic(word)


def _is_generic(word: str) -> bool:
    bare = word.lower().strip(",;.")
    return bare in _LABEL_WORDS or bool(_MEASURES.fullmatch(bare))


def lower_words_of(text: str) -> frozenset[str]:
    """Find the words that a text writes in lower case somewhere; all others are names."""
    found = re.findall(r"(?<![\w’'./@-])[a-z][a-z-]+(?!\w|\.\w|@)", text)
    return words("a our we the").union(found)


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
