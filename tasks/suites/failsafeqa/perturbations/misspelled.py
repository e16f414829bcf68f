"""Misspelled queries: split, segment, real-word and typo errors, each reversible.

Shares of the four kinds over a dataset are the paper's (000, "Misspellings"): 31.7, 25.5, 23.2 and
19.6 %. None of these is a multiple of 1/220, so over the paper's 220 queries they count errors, not
queries. There are more errors than queries: its four printed examples have six errors in 37 words.
Here a query gets as many: one error per 37/6 words, rounded, and at least one.

Each error is of the kind that its dataset lacks most, of those that the query has words for ("What
did we adopt?" has one to split). So pairs are misspelled in an order drawn from the seed, all of
them, whichever cases are wanted: neither order nor partitioning changes a query.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from random import Random

from tasks.core.ids import canonical_json, stable_id, stable_rng
from tasks.core.rows import Case, Context, Reject
from tasks.suites.failsafeqa.perturbations.material import Material, rejected
from tasks.suites.failsafeqa.perturbations.word_lists import (
    compound_breaks,
    confusions,
    typos,
    word_counts,
    word_set,
)
from tasks.suites.shared.cases import varied

NAME = "misspelled"
SHARES = {"split": 0.317, "segment": 0.255, "realword": 0.232, "typo": 0.196}
WORDS_PER_ERROR = 37 / 6

# A run of letters that is not part of a number, a ticker, an address or a contraction; a possessive
# `'s` may follow.
_WORD = re.compile(r"(?<![\w'’.@$&/])[A-Za-z]{1,24}(?=(?:['’]s)?(?![\w'’@$&/]|\.\w))")
_SENTENCE_START = re.compile(r"(?:^|[.?!:]\s+)[\"“(]?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One spelling error: perturbed[start:end] == after, for the query's `before`."""

    kind: str  # split, segment, realword or typo
    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a query that an error may touch."""

    start: int
    end: int
    text: str


# What an error may write in place of the query's characters from start to end.
_Options = tuple[int, int, Sequence[str]]


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Misspell each case's query, or reject it if no word may be changed."""
    wanted = {case.qa_pair_id: case for case in cases}
    counts: Counter[str] = Counter()
    order = sorted(material.pairs, key=lambda pair_id: stable_id(NAME, material.seed, pair_id))
    for pair_id in order if wanted else ():
        pair = material.pairs[pair_id]
        company = material.company_names.get(pair.context_id, "")
        rng = stable_rng(material.seed, NAME, pair_id)
        query, edits = misspell(pair.query, rng, company, counts)
        counts.update(edit.kind for edit in edits)
        case = wanted.get(pair_id)
        if case is not None and edits:
            details = canonical_json({"edits": [asdict(edit) for edit in edits]})
            yield varied(case, NAME, query=query, details=details)
        elif case is not None:
            yield rejected(NAME, case, "the query has no word that may be misspelled", pair.query)


def misspell(
    query: str, rng: Random, company: str = "", counts: Mapping[str, int] | None = None
) -> tuple[str, tuple[Edit, ...]]:
    """Misspell a query; also return the edits from left to right, () if no word may be changed.

    Args:
        counts: kind -> errors in the queries before this one.
    """
    free, made = spellable_words(query, company), Counter(counts)
    changes: list[tuple[int, int, str, str]] = []
    for _ in range(max(1, round(len(query.split()) / WORDS_PER_ERROR))):
        lacking = {kind: share * (made.total() + 1) - made[kind] for kind, share in SHARES.items()}
        by_lack = sorted(SHARES, key=lambda kind: -lacking[kind])
        kind, options = next(
            ((kind, options) for kind in by_lack if (options := _options(kind, query, free))),
            ("", []),
        )
        if not options:
            break
        start, end, texts = rng.choice(options)
        changes.append((start, end, rng.choice(texts), kind))
        made[kind] += 1
        free = [word for word in free if word.end <= start or end <= word.start]
    return _apply(query, changes)


def spellable_words(query: str, company: str = "") -> list[Word]:
    """Find the words that an error may touch, from left to right.

    Excluded are names (capitalised words, the company's name in any case), numbers in digits or
    words, and years. So are tickers, acronyms, addresses, negations, and words in no word list.
    """
    own_name = set(re.findall(r"[a-z]+", company.lower())) - word_set("common_in_names")
    openers = word_set("openers") | word_set("question_words")
    fixed = own_name | word_set("number_words") | word_set("negations")
    words = []
    for match in _WORD.finditer(query):
        text, lower = match[0], match[0].lower()
        is_opener = lower in openers and _SENTENCE_START.search(query, 0, match.start())
        is_plain = text.islower() or (is_opener and (text == "A" or text[1:].islower()))
        is_known = lower in word_counts() or lower in typos()
        if is_plain and lower not in fixed and is_known:
            words.append(Word(match.start(), match.end(), text))
    return words


def _options(kind: str, query: str, words: Sequence[Word]) -> list[_Options]:
    """List what errors of a kind may write: for each word, or two that a segment error joins.

    - split: "newspaper" -> "news paper", where two words of the list meet;
    - segment: "cat" -> "c at", anywhere else, or "a cat" -> "acat";
    - realword: "charges" -> "changes";
    - typo: "from" -> "fomr".
    """
    by_word: list[tuple[Word, Sequence[str]]] = []
    if kind == "split":
        breaks = [(word, compound_breaks(word.text.lower())) for word in words]
        # rare words are the second choice
        known = [(word, of_word.known) for word, of_word in breaks if of_word.known]
        chosen = known or [(word, of_word.listed) for word, of_word in breaks]
        by_word = [(word, _cut(word, places)) for word, places in chosen]
    elif kind == "segment":
        for word in words:
            meet = compound_breaks(word.text.lower())
            places = set(range(1, len(word.text))) - {*meet.known, *meet.listed}
            by_word.append((word, _cut(word, sorted(places)) if len(word.text) > 2 else ()))
    else:
        for word in words:
            lower = word.text.lower()
            others = confusions(lower) if kind == "realword" else typos().get(lower, ())
            is_capital = word.text[0].isupper()
            by_word.append(
                (word, [other.capitalize() for other in others] if is_capital else others)
            )
    options = [(word.start, word.end, texts) for word, texts in by_word if texts]
    if kind == "segment":
        options += [
            (left.start, right.end, [left.text + right.text])
            for left, right in pairwise(words)
            if query[left.end : right.start] == " " and right.text.islower()
        ]
    return options


def _cut(word: Word, places: Sequence[int]) -> list[str]:
    return [f"{word.text[:place]} {word.text[place:]}" for place in places]


def _apply(query: str, changes: list[tuple[int, int, str, str]]) -> tuple[str, tuple[Edit, ...]]:
    """Write changes (start, end, text, kind) of a query, and place them in the result."""
    edits: list[Edit] = []
    pieces: list[str] = []
    read = written = 0
    for start, end, after, kind in sorted(changes):
        pieces += [query[read:start], after]
        place = written + start - read
        read, written = end, place + len(after)
        edits.append(
            Edit(kind=kind, start=place, end=written, before=query[start:end], after=after)
        )
    return "".join([*pieces, query[read:]]), tuple(edits)
