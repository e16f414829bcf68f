"""Statements of filings: single sentences about a company that read on their own.

A sentence speaks of its company if it names it or says "we" or "the Company". Its title has the
company's name before it, unless the sentence has the name as it is written. A sentence that points
elsewhere, in the text or in the filing, does not read on its own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from heapq import nsmallest
from zlib import crc32

from tasks.core.rows import Document
from tasks.suites.longcontext.articles.names import content_words, names_company
from tasks.text.sentences import split_sentences

NO_STATEMENT = "no sentence about the company reads on its own"
NEARLY_SAME = "nearly the same as another statement"

# Items of a 10-K that tell of the business.
ITEMS = ("1", "1A", "1C", "2", "3", "7", "7A")
_FEWEST_WORDS, _MOST_WORDS = 10, 60

# Two statements are nearly the same if they share this many of the smallest hashes of their
# triples of words (a bottom-k sketch: about two thirds of the triples). Numbers do not count.
_SKETCH, _SHARED = 6, 4

_SPEAKS = re.compile(
    r"\b(?:[Ww]e|[Oo]urs?|us|"
    r"[Tt]he (?:Company|Registrant|Corporation|Partnership|Bank|Trust|Firm))\b"
)
# How a sentence begins that goes on from the one before.
_POINTS_BACK = re.compile(
    r"(?:[\w’']+,? ){0,4}(?:also|this|these|those|such|he|she|his|they)\b"
    r"|(?:This|That|These|Those|They|It|Its|Their|He|She|His|Her|Such|Another|Other)\b"
    r"|(?:And|But|Or|Both|Then|Thus|Hence|Thereafter|Therefore|However|Accordingly)\b"
    r"|(?:Consequently|Further|Furthermore|Moreover|Additionally|Similarly|Likewise)\b"
    r"|(?:Otherwise|Instead|Nevertheless|Finally|First|Second|Secondly|Third)\b"
    r"|(?:In addition|As a result|For (?:example|instance)|At that time)\b"
    r"|(?:On the other hand|Each of the|The (?:former|latter|other|same)|Any such)\b"
)
# Words that point to another place of the filing.
_POINTS_ELSEWHERE = re.compile(
    r"\b(?:see|refer(?:red)? to|above|below|herein\w*|here(?:of|to|by|under|with)|"
    r"there(?:of|to|in|under)|foregoing|following|afore\w+|set forth|incorporated by reference|"
    r"as (?:described|discussed|noted|defined)|forward-looking|press release|Form (?:10|8)-?K|"
    r"this (?:report|section|item|annual|current|discussion|document)|"
    r"(?:items?|notes?|parts?|exhibits?|pages?|schedules?|sections?|forms?|tables?) [\dIVX])\b",
    re.IGNORECASE,
)
# EDGAR's mark of a state: `/MN`, `/DE/`, `\PA\`; and a bar without one.
_STATE = re.compile(r"\s*[/\\](?:[A-Z]{2,3}[/\\]?)?$")
_WORD = re.compile(r"[^\W_]+")
_SPELLINGS = {
    form: spellings
    for spellings in (
        r"(?:corporation|corp\b\.?)",
        r"(?:company|co\b\.?)",
        r"(?:incorporated|inc\b\.?)",
        r"(?:limited|ltd\b\.?)",
    )
    for form in re.findall(r"[a-z]{2,}", spellings)
}


def statements(company: str, text: str) -> Iterator[str]:
    """Yield the sentences of a text that speak of its company and read on their own, in order."""
    for paragraph in text.split("\n"):
        words = " ".join(paragraph.split())
        for start, end in split_sentences(words):
            said = words[start:end]
            if reads_alone(said) and (_SPEAKS.search(said) or names_company(said, company)):
                yield said


def statements_of(company: str, document: Document) -> Iterator[tuple[str, str]]:
    """Yield Item and sentence of a 10-K, in order of the Items' places; tables are left out."""
    for span in document.items:
        if span.item in ITEMS:
            text = document.text[span.start_char : span.end_char]
            for said in statements(company, _unwrapped(text)):
                yield span.item, said


def title_of(company: str, said: str) -> str:
    """Write a statement so that it says which company it is about."""
    return said if company in said else f"{company}: {said}"


def reads_alone(said: str) -> bool:
    """Return whether a sentence is whole, of moderate length, and points to nothing else."""
    return (
        _FEWEST_WORDS <= len(said.split()) <= _MOST_WORDS
        and said[0].isupper()
        and said.endswith((".", ".”", '."'))
        and " | " not in said
        and said.count("(") == said.count(")")
        and said.count("“") == said.count("”")
        and said.count('"') % 2 == 0
        and not _POINTS_BACK.match(said)
        and not _POINTS_ELSEWHERE.search(said)
    )


class WrittenNames:
    """How filings write their companies' names in sentences.

    EDGAR's header and a filing's cover have them in capitals. Spellings are counted over all texts
    of a company, so that it has one name.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)

    def count(self, stated: str, text: str, *key: str) -> None:
        """Count how a text spells the name that its header states; `key` tells companies apart."""
        name = _STATE.sub("", " ".join(stated.split()))
        words = [word.casefold() for word in _WORD.findall(name)]
        pattern = r"[^\w\n]{1,3}".join(_SPELLINGS.get(word, re.escape(word)) for word in words)
        found = self._found[(*content_words(stated), *key)]
        found.update(re.findall(rf"\b{pattern}(?!\w)", text, re.IGNORECASE))
        found[name.title() if name.isupper() else name] += 0

    def name(self, stated: str, *key: str) -> str:
        """Return the most frequent spelling that is not all in capitals, if there is one."""
        found = self._found[(*content_words(stated), *key)].most_common()
        used = [each for each, count in found if count]
        return next((each for each in used if not each.isupper()), (used or [found[0][0]])[0])


def _unwrapped(text: str) -> str:
    """Put each paragraph on one line; a table's lines stay lines."""
    return "\n".join(
        paragraph if " | " in paragraph else paragraph.replace("\n", " ")
        for paragraph in text.split("\n\n")
    )


class NearDuplicates:
    """Statements seen so far, to find those that are nearly the same."""

    def __init__(self) -> None:
        # most hashes are of one statement, and a list for each would take half of the memory
        self._first: dict[int, int] = {}
        self._others: dict[int, list[int]] = defaultdict(list)
        self._said: list[str] = []

    def nearest(self, said: str) -> str | None:
        """Return an earlier statement that is nearly this one; else remember it."""
        hashes = _sketch(said)
        shared = Counter(number for each in hashes for number in self._with(each))
        for number, count in shared.most_common(1):
            if count >= min(_SHARED, len(hashes)):
                return self._said[number]
        number = len(self._said)
        for each in hashes:
            if self._first.setdefault(each, number) != number:
                self._others[each].append(number)
        self._said.append(said)
        return None

    def _with(self, hashed: int) -> Iterator[int]:
        if hashed in self._first:
            yield self._first[hashed]
            yield from self._others.get(hashed, ())


def _sketch(said: str) -> Collection[int]:
    words = [word for word in _WORD.findall(said.casefold()) if not word.isdigit()]
    triples = {" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2))}
    return nsmallest(_SKETCH, {crc32(triple.encode()) for triple in triples})
