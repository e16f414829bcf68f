"""Extract a text's content words, lightly stemmed."""

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
