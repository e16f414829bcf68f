"""Extract a text's content words, lightly stemmed, and its names."""

from __future__ import annotations

import re
from functools import lru_cache


def words(listed: str) -> frozenset[str]:
    """Return the words of a list with spaces between."""
    return frozenset(listed.split())


# Words of English grammar and of questions, which do not say what a text is about.
STOP_WORDS = words(
    """
    a about above across after again against all almost along already also although am among an
    and another any are around as at away be became because been before being below between both
    but by can cannot could did do does doing done down during each either else etc even ever
    every few for from further get give given gives had has have having he her here hereby
    herein hers him his how however i if in into is it its itself just least less let like made
    make many may me might more most much must my neither no nor not now of off often on once
    only onto or other others our ours out over own per please rather s same shall she should
    since so some such t than that the their theirs them themselves then there thereby therefore
    therein thereof these they this those though through thus to together too toward under until
    up upon us very via was we well were what when where whether which while who whom whose why
    will with within without would yet you your yours tell know want need say says
    """
)
_WORD = re.compile(r"(?<![a-z0-9])(?:[a-z]\.){2,}|[a-z]+(?:['’][a-z]+)?", re.IGNORECASE)
_VOWELS = frozenset("aeiouy")

_CAPITAL = r"(?:(?:[A-Z]\.){2,}|[a-z]?[A-Z][\w’'&-]*\.?)"
_CAPITALISED = re.compile(
    rf"(?<![\w’']){_CAPITAL}(?:(?:,? (?=(?:Inc|Corp|Ltd|LLC|L\.P|Co|Limited|plc)\b)"
    rf"| (?:of|of the|de|&) | ){_CAPITAL})*"
)
_SENTENCE_START = re.compile(
    r"(?:\A|[.!?:;]['\")”’]*\s|\n|\| |[•●▪]\s?|\(\w{1,3}\)\s)\s*[\"“'‘(]*\Z"
)
_ABBREVIATED = re.compile(r"\b(?:Inc|Corp|Ltd|Co|Jr|Sr|[A-Z]\.[A-Z])\.\Z")
_CORPORATE = words("inc corp ltd llc co company limited plc lp corporation incorporated")
# Months and days, and words that filings capitalise by convention: no names.
_GENERIC = words(
    """
    january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sept sep oct
    nov dec
    company corporation registrant item items note notes part section form exhibit table annual
    report fiscal year quarter first second third fourth total board directors committee
    management chief executive officer president vice chairman director senior net act rule
    years ended
    """
)


@lru_cache(maxsize=1 << 13)
def stem(word: str) -> str:
    """Strip endings that do not change a word's topic: `increases`, `increasing` -> `increas`.

    Light on purpose: there is no dictionary, and words of three letters stay unchanged.
    """
    word = word.lower().replace("’", "'")
    word = word.removesuffix("'s").removesuffix("'").replace(".", "").replace("'", "")
    if len(word) <= 3:
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending, shortest in (("ation", 4), ("ing", 3), ("ion", 4), ("ed", 3)):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= shortest and not _VOWELS.isdisjoint(rest):
            word = rest + "at" if ending == "ation" else rest
            break
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "sle":
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


def content_terms(text: str) -> list[str]:
    """Return a text's words in order, stemmed, without stop words and single letters.

    Numbers are not terms; `tasks.quantities.figures` reads them.
    """
    terms = []
    for word in _WORD.findall(text):
        lowered = word.lower()
        if len(lowered) > 1 and lowered not in STOP_WORDS:
            terms.append(stem(lowered))
    return terms


def names_in(text: str) -> list[str]:
    """Return the names in a text, in order of first mention, each once: `Apple Inc.`.

    A name is a run of capitalised words. The first word of a sentence counts only if a capitalised
    word follows, or if its spelling shows a name (`IBM`, `iPhone`). Months, headings in capitals
    and the usual capitals of filings (`Company`, `Item`, `Note`) are not names.
    """
    names: dict[str, None] = {}
    for match in _CAPITALISED.finditer(text):
        words = match.group().split(" ")
        starts = bool(_SENTENCE_START.search(text, max(0, match.start() - 12), match.start()))
        while words and _is_generic(words[0]):
            starts = starts and words[0].lower() not in STOP_WORDS
            words.pop(0)
        while words and _is_generic(words[-1]) and words[-1].lower().strip(".,") not in _CORPORATE:
            words.pop()
        is_heading = len(words) > 3 and all(word.isupper() for word in words)
        is_capital_only = starts and len(words) == 1 and not _looks_like_a_name(words[0])
        if words and not is_heading and not is_capital_only:
            names[_trimmed(" ".join(words))] = None
    return list(names)


def _trimmed(name: str) -> str:
    """Strip a possessive, and a full stop that is not part of an abbreviation."""
    name = name.rstrip(",'’-").removesuffix("'s").removesuffix("’s")
    return name if _ABBREVIATED.search(name) else name.rstrip(".")


def _is_generic(word: str) -> bool:
    bare = word.lower().strip(".,'’")
    return bare in _GENERIC or bare in STOP_WORDS or len(bare) == 1


def _looks_like_a_name(word: str) -> bool:
    letters = [letter for letter in word if letter.isalpha()]
    return any(letter.isupper() for letter in letters[1:])
