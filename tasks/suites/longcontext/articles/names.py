"""Companies' names: which may be one company, which look alike, and which a title names.

Names are compared by their content words: in lower case, without accents, legal forms, small words
and a plural's or possessive's `s`. A doubtful pair may be the same company, so that no record has
to decide it. Invented companies are told apart by their names' letters alone, so only their
mentions count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from tasks.text.terms import words

# Different companies whose names are at least this similar look alike: of random pairs of
# SEntFiN's names, 4 in 1,000.
SIMILAR = 0.5

_LONG = 5  # letters of a word from which one typing error makes no other word
_SHORT_FORM = 2  # fewest letters of a shortened word beside others: `St` for `Street`
_HEAD = 3  # letters that a plural has at least
_LONGEST_ACRONYM = 6
_CACHED = 1 << 16

_FORMS = words(
    "inc corp co ltd llc llp lp plc ag sa nv se gmbh spa kk holding holdings group trust"
)
_FORMS |= words("pvt private incorporated corporation limited company companies cos")
_SMALL = words("the of and for in de du la an a")
# Legal forms at an acronym's end: BPCL is Bharat Petroleum.
_FORM_LETTERS = ("", "l", "c", "cl")
_POSSESSIVE = re.compile(r"['’`´]s?\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


def may_be_same(a: str, b: str) -> bool:
    """Return whether two names could be one company's.

    They could if one's content words contain the other's, but for a typing error or a short form,
    if all words begin alike, as in `Tech M`, or if one is an acronym, as `SBI`.
    """
    shorter, longer = sorted((content_words(a), content_words(b)), key=len)
    is_abbreviated = _letters(a) in _acronyms(b) or _letters(b) in _acronyms(a)
    begin_alike = len(shorter) == len(longer) > 1 and all(
        x.startswith(y) or y.startswith(x) for x, y in zip(shorter, longer, strict=True)
    )
    return is_abbreviated or begin_alike or _contains(longer, shorter)


def similarity(a: str, b: str) -> float:
    """Return how alike two names look, from 0 to 1: the mean of letters and words shared.

    Words that are a typing error apart look the same.
    """
    one, other = sorted((a, b), key=_plain)  # the matcher's ratio depends on their order
    first, second = content_words(one), content_words(other)
    shared = sum(any(_is_typo(x, y) for y in second) for x in first)
    letters = SequenceMatcher(None, _plain(one), _plain(other), autojunk=False).ratio()
    return (letters + min(1.0, 2 * shared / (len(first) + len(second)))) / 2


def names_company(title: str, company: str) -> bool:
    """Return whether a title names a company, in full, shortened or by an acronym."""
    if not _acronyms(company).isdisjoint(_capitals(title)):
        return True
    sought, held = content_words(company), content_words(title)
    return any(
        all(
            _same_word(word, name, is_sure=nth == 0)
            for nth, (word, name) in enumerate(zip(held[start:], sought, strict=False))
        )
        for start in range(len(held) - len(sought) + 1)
    )


def _contains(longer: Sequence[str], shorter: Sequence[str]) -> bool:
    """Return whether each word of a name is one of another's, or a short form of it.

    A name of one word must have more letters of the other's: `Sun` is not `Sundaram Fasteners`.
    """
    is_one = len(shorter) == 1
    return all(any(_same_word(word, other, is_sure=is_one) for other in longer) for word in shorter)


def _same_word(a: str, b: str, *, is_sure: bool) -> bool:
    if _is_typo(a, b):
        return True
    shorter, longer = sorted((a, b), key=len)
    fewest = _LONG if is_sure else _SHORT_FORM
    return len(shorter) >= fewest and longer.startswith(shorter)


def _is_typo(a: str, b: str) -> bool:
    """Return whether words are equal, or one letter is missing, added, changed or swapped."""
    if a == b or abs(len(a) - len(b)) > 1 or min(len(a), len(b)) < _LONG:
        return a == b
    start = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    a, b = a[start:], b[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or a[1::-1] + a[2:] == b


@lru_cache(_CACHED)
def _letters(name: str) -> str | None:
    """Return the letters of a name that could be an acronym, as of `L&T Ltd.`; None if none is."""
    parts = [part for part in name.split() if part.strip(".,").casefold() not in _FORMS]
    letters = "".join(_words(parts[0])).casefold() if len(parts) == 1 else ""
    return letters if 2 <= len(letters) <= _LONGEST_ACRONYM else None


@lru_cache(_CACHED)
def _acronyms(name: str) -> frozenset[str | None]:
    """Find the acronyms of a name, with and without its small words and legal forms."""
    words = [word.casefold() for word in _words(name)]
    while len(words) > 1 and words[-1] in _FORMS:
        words.pop()
    content = [word for word in words if word not in _SMALL]
    core = [word for word in content if word not in _FORMS]
    initials = {"".join(word[0] for word in choice) for choice in (words, content, core)}
    return frozenset(
        letters + form for letters in initials if len(letters) > 1 for form in _FORM_LETTERS
    )


@lru_cache(_CACHED)
def _capitals(title: str) -> frozenset[str | None]:
    """Find the words of a title that are written like acronyms."""
    return frozenset(
        _letters(word) for word in title.split() if sum(map(str.isupper, word)) > 1
    ) - {None}


@lru_cache(_CACHED)
def content_words(name: str) -> tuple[str, ...]:
    """Split a name into content words; a first word such as `Trust` is one."""
    words = [word.casefold() for word in _words(name)]
    held = [
        word
        for nth, word in enumerate(words)
        if word not in _SMALL and (nth == 0 or word not in _FORMS)
    ]
    return tuple(map(_stem, held or words)) or ("",)


def _words(text: str) -> list[str]:
    """Split a text into words; `L&T` and `R.B.I.` are words of one letter each."""
    return _spaced(text).split()


@lru_cache(_CACHED)
def _spaced(text: str) -> str:
    """Return the words of a text, without accents and possessives, with a space between.

    A string takes the least memory.
    """
    decomposed = unicodedata.normalize("NFKD", _POSSESSIVE.sub("", text))
    return " ".join(_WORD.findall("".join(c for c in decomposed if not unicodedata.combining(c))))


@lru_cache(_CACHED)
def _plain(text: str) -> str:
    return _spaced(text).casefold()


def _stem(word: str) -> str:
    folded = word.casefold()
    return folded[:-1] if len(folded) > _HEAD and folded.endswith("s") else folded
