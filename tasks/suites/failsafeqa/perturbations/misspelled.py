"""Misspelled queries: split, segment, real-word and typo errors, each reversible.

Shares of the four kinds over a dataset are the paper's (000, "Misspellings"): 31.7, 25.5, 23.2 and
19.6 %. None of these is a multiple of 1/220, so over the paper's 220 queries they count errors, not
queries. There are more errors than queries: its four printed examples have six errors in 37 words.
Here a query gets as many: one error per 37/6 words, rounded, and at least one.

The kinds of one query's errors are drawn together, evenly spaced over the kinds' weights from one
random start. Shares then vary less between datasets than with independent draws. Not every query
has a word for every kind ("What did we adopt?" has none to split). So the weights are fitted to
all queries of the dataset (`material.pairs`), for the shares to hold over it. A misspelled query
depends on the seed, the query and these weights, never on order or partitioning.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, pairwise
from random import Random
from typing import TypeVar

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

Option = TypeVar("Option")

NAME = "misspelled"
SHARES = {"split": 0.317, "segment": 0.255, "realword": 0.232, "typo": 0.196}
WORDS_PER_ERROR = 37 / 6
MOST_FITTED = 5000
_FITTING_ROUNDS = 5
_PRIOR_ERRORS = 100  # this many errors in the right shares are added to the counts

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
class _Word:
    start: int
    end: int
    text: str

    @property
    def lower(self) -> str:
        return self.text.lower()

    def become(self, kind: str, after: str) -> _Change:
        return _Change(kind, self.start, self.end, after)

    def split(self, kind: str, i: int) -> _Change:
        return self.become(kind, f"{self.text[:i]} {self.text[i:]}")

    def replaced(self, kind: str, by: str) -> _Change:
        return self.become(kind, by.capitalize() if self.text[0].isupper() else by)


@dataclass(frozen=True, slots=True)
class _Change:
    """A possible edit, still in the query's own offsets."""

    kind: str
    start: int
    end: int
    after: str


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Misspell each case's query, or reject it if no word may be changed."""
    weights = fit_weights(material)
    for case in cases:
        company = material.company_names.get(case.context_id) if case.context_id else None
        rng = stable_rng(material.seed, NAME, case.qa_pair_id)
        query, edits = misspell(case.query, rng, company, weights)
        if not edits:
            yield rejected(NAME, case, "the query has no word that may be misspelled", case.query)
            continue
        details = canonical_json({"edits": [asdict(edit) for edit in edits]})
        yield varied(case, NAME, query=query, details=details)


def fit_weights(material: Material) -> dict[str, float]:
    """Fit the kinds' weights so that all queries' errors have the shares.

    By iteration: misspell the queries (of at most `MOST_FITTED` pairs, chosen by hash), compare the
    shares, correct the weights. With few errors the correction is small.
    """
    chosen = sorted(
        material.pairs.values(), key=lambda pair: stable_id("fit", material.seed, pair.qa_pair_id)
    )
    weights = dict(SHARES)
    for _ in range(_FITTING_ROUNDS):
        counts = dict.fromkeys(SHARES, 0)
        for pair in chosen[:MOST_FITTED]:
            rng = stable_rng(material.seed, NAME, pair.qa_pair_id)
            company = material.company_names.get(pair.context_id)
            for edit in misspell(pair.query, rng, company, weights)[1]:
                counts[edit.kind] += 1
        total = sum(counts.values()) + _PRIOR_ERRORS
        for kind, share in SHARES.items():
            weights[kind] *= share / ((counts[kind] + _PRIOR_ERRORS * share) / total)
        scale = sum(weights.values())
        weights = {kind: weight / scale for kind, weight in weights.items()}
    return weights


def misspell(
    query: str, rng: Random, company: str | None = None, weights: Mapping[str, float] = SHARES
) -> tuple[str, tuple[Edit, ...]]:
    """Misspell a query; also return the edits from left to right, () if no word may be changed."""
    words = spellable_words(query, company)
    possible = {
        kind: weight for kind, weight in weights.items() if any(map(_CAN_TAKE[kind], words))
    }
    if not possible:
        return query, ()
    changes: list[_Change] = []
    kinds = _draw_kinds(error_count(query), possible, rng)
    for kind in sorted(kinds, key=_KINDS_SCARCEST_FIRST.index):
        free = [
            word
            for word in words
            if not any(word.start < c.end and c.start < word.end for c in changes)
        ]
        if change := _change_of(kind, query, free, rng):
            changes.append(change)
    return _apply(query, changes)


def undo(query: str, edits: Iterable[Edit]) -> str:
    """Restore the query as it was before the edits.

    Raises:
        ValueError: the query does not hold the text that an edit wrote.
    """
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        if query[edit.start : edit.end] != edit.after:
            raise ValueError(f"no {edit.after!r} at {edit.start}:{edit.end} of {query!r}")
        query = query[: edit.start] + edit.before + query[edit.end :]
    return query


def error_count(query: str) -> int:
    """Compute how many errors a query of this length should get."""
    return max(1, round(len(query.split()) / WORDS_PER_ERROR))


def spellable_words(query: str, company: str | None = None) -> list[_Word]:
    """Find the words that an error may touch, from left to right.

    Excluded are names (capitalised words, the company's name in any case), numbers in digits or
    words, and years. So are tickers, acronyms, addresses, negations, and words in no word list.
    """
    own_name = {part.lower() for part in re.findall(r"[A-Za-z]+", company or "")} - word_set(
        "common_in_names"
    )
    openers = word_set("openers") | word_set("question_words")
    fixed = own_name | word_set("number_words") | word_set("negations")
    kept = []
    for match in _WORD.finditer(query):
        word = _Word(match.start(), match.end(), match.group())
        is_opener = word.lower in openers and _SENTENCE_START.search(query, 0, word.start)
        is_plain = word.text.islower() or (
            is_opener and (word.text == "A" or word.text[1:].islower())
        )
        is_known = word.lower in word_counts() or word.lower in typos()
        if is_plain and word.lower not in fixed and is_known:
            kept.append(word)
    return kept


def _draw_kinds(count: int, weights: Mapping[str, float], rng: Random) -> list[str]:
    start = rng.random()
    kinds, bounds = list(weights), list(accumulate(weights.values()))
    points = [(start + j / count) % 1.0 * bounds[-1] for j in range(count)]
    return [kinds[min(bisect_right(bounds, point), len(kinds) - 1)] for point in points]


# --- one change of each kind ----------------------------------------------------------


def _split(query: str, words: list[_Word], rng: Random) -> _Change | None:
    """Split a word into two words: "newspaper" -> "news paper"."""
    for tier in (0, 1):
        options = [word for word in words if compound_breaks(word.lower)[tier]]
        if options:
            word = _pick_long(options, rng)
            return word.split("split", _pick(compound_breaks(word.lower)[tier], rng))
    return None


def _segment(query: str, words: list[_Word], rng: Random) -> _Change | None:
    """Cut a word or join two: "cat" -> "c at", "a cat" -> "acat"."""
    breakable = [word for word in words if _CAN_TAKE["segment"](word)]
    joinable = [
        (left, right)
        for left, right in pairwise(words)
        if query[left.end : right.start] == " " and right.text.islower()
    ]
    if joinable and (not breakable or rng.random() < 0.5):
        left, right = _pick(joinable, rng)
        return _Change("segment", left.start, right.end, left.text + right.text)
    if not breakable:
        return None
    word = _pick_long(breakable, rng)
    where_words_meet = {i for tier in compound_breaks(word.lower) for i in tier}
    places = [i for i in range(1, len(word.text)) if i not in where_words_meet]
    return word.split("segment", _pick(places, rng))


def _realword(query: str, words: list[_Word], rng: Random) -> _Change | None:
    """Replace a word by another at one edit: "charges" -> "changes"."""
    if not (options := [word for word in words if _CAN_TAKE["realword"](word)]):
        return None
    word = _pick_long(options, rng)
    return word.replaced("realword", _pick(confusions(word.lower), rng))


def _typo(query: str, words: list[_Word], rng: Random) -> _Change | None:
    """Replace a word by a common misspelling of it: "from" -> "fomr"."""
    if not (options := [word for word in words if _CAN_TAKE["typo"](word)]):
        return None
    word = _pick_long(options, rng)
    return word.replaced("typo", _pick(typos()[word.lower], rng))


_MAKERS = {"split": _split, "segment": _segment, "realword": _realword, "typo": _typo}
_CAN_TAKE: dict[str, Callable[[_Word], bool]] = {
    "split": lambda word: any(compound_breaks(word.lower)),
    "segment": lambda word: len(word.text) >= 3,
    "realword": lambda word: len(word.text) >= 2 and bool(confusions(word.lower)),
    "typo": lambda word: word.lower in typos(),
}

# The kind that fewest words allow goes first, so that no other uses up its word.
_KINDS_SCARCEST_FIRST = ("split", "typo", "realword", "segment")


def _change_of(kind: str, query: str, words: list[_Word], rng: Random) -> _Change | None:
    """Choose a change of the kind, or of the next possible kind."""
    kinds = list(SHARES)
    first = kinds.index(kind)
    made = (_MAKERS[other](query, words, rng) for other in kinds[first:] + kinds[:first])
    return next(filter(None, made), None)


def _pick(options: Sequence[Option], rng: Random) -> Option:
    return options[int(rng.random() * len(options))]


def _pick_long(words: list[_Word], rng: Random) -> _Word:
    """Choose a word in proportion to its length: people slip in long words."""
    point = rng.random() * sum(len(word.text) for word in words)
    for word in words:
        point -= len(word.text)
        if point < 0:
            return word
    return words[-1]


def _apply(query: str, changes: list[_Change]) -> tuple[str, tuple[Edit, ...]]:
    pieces: list[str] = []
    edits: list[Edit] = []
    read = written = 0
    for change in sorted(changes, key=lambda change: change.start):
        start = written + change.start - read
        end = start + len(change.after)
        pieces += [query[read : change.start], change.after]
        before = query[change.start : change.end]
        edits.append(
            Edit(kind=change.kind, start=start, end=end, before=before, after=change.after)
        )
        read, written = change.end, end
    return "".join([*pieces, query[read:]]), tuple(edits)
