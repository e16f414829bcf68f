"""Labels of rows: which can be asked for, and how they read inside a question."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from tasks.baseline.phrases import (
    in_running_text,
    is_no_name,
    is_plural,
    lower_words_of,
    names_a_measure,
)
from tasks.text.terms import words

_NOTE = re.compile(
    r"\s*(?:[({](?:(?:notes? )?\d{1,2}(?:(?:, | and )\d{1,2})*|[a-z])[)}]|[*†‡]+|\b[a-z]/)\s*\Z"
    r"|(?:[\s.]{2,}|[\s:]+)\Z",
    re.IGNORECASE,
)
_SCALE = re.compile(r"\((?:in )?(?:thousands|millions|billions)\)", re.IGNORECASE)
# What is no figure of the period, or only part of one: it is never asked for.
_UNUSABLE = re.compile(
    r"\A(?:all )?other\b|\A(?:total|yes|no)\Z"
    r"|\A\W*(?:increase|decrease|change|net change|less|plus|add|deduct|deduction|of which"
    r"|including|excluding|include[sd]?|effects?|impact|adjustments?|adjusted|balances?|beginning|ending"
    r"|reclassif\w+|see|note|based on|if|as|issued|granted|percent change)\b"
    r"|\Atotal (?:\w+ed (?:in|by|from|as|to|on)|(?:current|previous)ly)\b"
    r"|(?<!as a )\bpercent(?:age)? of\b"
    r"|\b(?:beginning|end|start) of\b|\bpages?\b|\d{4}|[|$#@]|\bsee note\b"
    r"|\bas (?:reported|adjusted)\b|\bpro forma\b|\bvs\b|\bthereafter\b|\(continued\)"
    r"|\bexpected\b|\bassum|\bunaudited\b|\bnet of tax\b|\bsource:|\bnames?\b|;",
    re.IGNORECASE,
)
_DANGLES = re.compile(
    r"(?:\b(?:and|or|of|for|in|on|to|the|from|by|with|before|after|per|at|less|net of|common|a|an)"
    r"|[-–—/,&(])\Z",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]{2}")
# Broken words, points that lead to figures, figures, notes that touch a word.
_GARBLED = re.compile(r"\w\s-\w|\s\.|\d,\d{3}|[a-z]\d\b|(?<!Level)\s\d\Z|[“”\"]")
_MOST_CHARS = 80
# Labels that name a measure but say too little, or say what was done.
_VAGUE = re.compile(
    r"(?:losses|loss|income|expenses?|benefits?|interest|investments?|securities|capital|credits?"
    r"|charges?|net losses|claims|fees|average|consolidated.*|as an? .*|lower of .*"
    r"|\w+ed (?:as|by|for|in|to|from|on|with) .*"
    r"|(?!(?:operating|financing|investing|outstanding|advertising|marketing|manufacturing|working"
    r"|engineering|restructuring|remaining|controlling|noncontrolling|recurring|floating)\b)"
    r"\w+ing\b.*)",
    re.IGNORECASE,
)
# Labels that read badly in a sentence: they have no noun of their own.
_NO_NOUN = re.compile(
    r"\band other(?:,| \(|\Z)|\b(?:marketing|administrative|development|engineering)\Z"
    r"|\b(?:declared|received|realized|sold|change)\b",
    re.IGNORECASE,
)
_TITLE_CASE = re.compile(r"[A-Z][a-z’']+(?:-[A-Za-z]+)?")
_NAME = re.compile(r"(?<=[a-z] )[A-Z][a-z]+")  # with a capital inside a sentence
# Words of labels that are no names.
_ORDINARY = re.compile(
    r"[A-Z][a-z]{3,}(?:ings?|tions?|sions?|ments?|ed|ery|ance|ence|able|ible|ies|ity)\Z"
)
_COMMON = words(
    "foreign domestic federal state raw finished primary additional annual total interest valuation"
    " gains losses long short new software hardware product service services customer commercial"
    " consumer trade due weighted-average noncurrent non-current pre-tax pretax comprehensive"
    " minority shareholders' stockholders' shareholders’ stockholders’ salaries time demand savings"
    " real-estate corporate general special effective free cash current deferred share-owners'"
    " and of on for in to from by with the before after per net common preferred stock treasury"
)
# What follows the noun that a phrase is about.
_PARTICIPLE = re.compile(
    r"\s(?:held|sold|outstanding|charged|acquired|purchased|issued|written|earned|paid|incurred"
    r"|received|ceded|assumed|\w+ed (?:at|as|by|in|to|on|under|from|with))\b"
)
_AFTER_HEAD = re.compile(
    r"\s(?:of|for|in|from|on|to|at|as|per|under|before|after|with|by|available(?!-)|used|provided"
    r"|payable|due|attributable|applicable|receivable)\b|\s?[(–—,]",
    re.IGNORECASE,
)
# Nouns that take no article besides plurals.
_MASS = re.compile(
    r"\b(?:income|cash|revenue|equity|debt|depreciation|amortization|amortisation|interest|expense"
    r"|goodwill|compensation|inventory|EBITDA|research|development|capital|stock|property|equipment"
    r"|rent|backlog|advertising|production|deficit|profit)\Z",
    re.IGNORECASE,
)


def clean_label(text: str) -> str:
    """Return a label without scale, marks of footnotes, and points that lead to its figures."""
    text = " ".join(_SCALE.sub(" ", text).split())
    while (shorter := _NOTE.sub("", text)) != text:
        text = shorter
    return text


def is_whole(label: str) -> bool:
    """Check whether a label has its start and its end, and nothing that is garbled."""
    return (
        4 <= len(label) <= _MOST_CHARS
        and bool(_LETTERS.search(label))
        and label[0].isupper()
        and label.count("(") == label.count(")")
        and not dangles(label)
        and not _GARBLED.search(label)
    )


def dangles(label: str) -> bool:
    """Check whether a label goes on in the next line."""
    return bool(_DANGLES.search(label))


def is_usable(label: str) -> bool:
    """Check whether a label names a figure of a period, as `Other` and `Less: tax` do not."""
    return not _UNUSABLE.search(label)


def speaks(label: str) -> bool:
    """Check whether a label says what is measured, without its section."""
    return names_a_measure(label) and not _VAGUE.fullmatch(label)


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a snippet spells words: those in lower case, and names, with a capital in sentences."""

    lower: frozenset[str]
    names: frozenset[str]

    @classmethod
    def of(cls, paragraphs: Iterable[str], cells: Iterable[str]) -> Spelling:
        """Collect the words of a snippet."""
        text = " ".join(paragraphs)
        return cls(lower_words_of(" ".join([text, *cells])), frozenset(_NAME.findall(text)))

    def breaks_words(self, label: str) -> bool:
        """Check whether a label has a word of the snippet in two: `Valuati on allowance`."""
        parts = label.lower().split()
        return any(one + other in self.lower for one, other in pairwise(parts))

    def phrase(self, label: str) -> str:
        """Write a label as a noun phrase, or "" if a word with a capital may be no name."""
        is_known = not label.isupper() or all(
            word in self.lower or word in _COMMON or names_a_measure(word) or not word.isalpha()
            for word in label.lower().split()
        )
        if not is_known or _NO_NOUN.search(label):
            return ""
        written = []
        for word in in_running_text(label, self.lower).split(" "):
            bare = word.strip("(),/")
            is_name = bare in self.names
            if _TITLE_CASE.fullmatch(bare):
                is_common = bare.lower() in _COMMON or is_no_name(bare.lower(), self.lower)
                if is_common or (_ORDINARY.search(bare) and not is_name):
                    word = word.lower()
                elif not is_name:
                    return ""
            written.append(word)
        return " ".join(written)


def is_many(phrase: str) -> bool:
    """Check whether a noun phrase takes `were`."""
    return any(is_plural(part.split(phrase)[0]) for part in (_PARTICIPLE, _AFTER_HEAD))


def with_article(phrase: str) -> str:
    """Write a noun phrase with the article that it needs: `the provision for income taxes`."""
    head = _AFTER_HEAD.split(phrase, maxsplit=1)[0].strip()
    needs_none = is_many(phrase) or _MASS.search(head) or head.startswith("total ")
    return phrase if needs_none else f"the {phrase}"
