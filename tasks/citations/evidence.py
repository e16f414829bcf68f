"""Which sentences say what a statement says, found by the terms and figures they share.

The weightless counterpart of a citing model. A term or figure counts by how few sentences hold
it, so that a rare figure outweighs many common words.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from tasks.citations.statements import MOST_CITATIONS
from tasks.text.figures import Figure, find_figures, same_figure
from tasks.text.terms import content_terms

_FIGURE_WEIGHT = 1.5  # of a figure against a term that as few sentences hold
_QUERY_WEIGHT = 0.3  # of a term of the question that the statement does not repeat
_LEAST_COVERAGE = 0.35  # of a statement's weight that its best sentence holds, or it has no support
_LEAST_GAIN = 0.12  # of a statement's weight that each further sentence adds
_LONG_SENTENCE_CHARS = 400  # what is much longer holds many terms by chance
_NEAR_SENTENCES = 12  # a table's head is about as far from its rows

# A cell says 1,234 where the text says $1.2 million: by how much a table's scale divides.
_TABLE_SCALES = (Decimal(10) ** 3, Decimal(10) ** 6, Decimal(10) ** 9)


def read_tagged(tagged: str, letter: str) -> list[str]:
    """The sentences of a text tagged `<C0>`, `<C1>`, ... (or another letter), tags removed.

    Only the number that comes next is a tag: `<C7>` in a document's own words is text.
    """
    sentences: list[str] = []
    start = -1
    for tag in re.finditer(rf"<{letter}(\d+)>", tagged):
        expected = len(sentences) + (start >= 0)
        if tag.group(1) == str(expected):
            if start >= 0:
                sentences.append(tagged[start : tag.start()])
            start = tag.end()
    if start >= 0:
        sentences.append(tagged[start:])
    return sentences


def states_figure(figure: Figure, stated: Figure) -> bool:
    """Whether two figures may be one quantity, also when one is a cell of a table in thousands, millions or
    billions whose scale is not repeated; then only with three digits in common, lest 5 prove $5 million."""
    if same_figure(figure, stated):
        return True
    if not {figure.unit, stated.unit} <= {"money", "count"}:
        return False
    if min(len(_digits(figure)), len(_digits(stated))) < 3:
        return False
    large, small = (figure, stated) if abs(figure.value) > abs(stated.value) else (stated, figure)
    return any(
        same_figure(
            large,
            replace(small, value=small.value * scale, decimals=small.decimals - len(str(scale)) + 1),
        )
        for scale in _TABLE_SCALES
    )


def _digits(figure: Figure) -> str:
    return "".join(char for char in figure.text if char.isdigit()).lstrip("0")


class Evidence:
    """The sentences of one document, ready to be searched for what supports a statement."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._n_sentences = len(sentences)
        self._discount = [
            1 / (1 + 0.25 * math.log1p(max(0, len(sentence) - _LONG_SENTENCE_CHARS) / _LONG_SENTENCE_CHARS))
            for sentence in sentences
        ]
        self._holding: dict[str, list[int]] = defaultdict(list)
        self._figures: list[tuple[Figure, int]] = []
        for number, sentence in enumerate(sentences):
            for term in dict.fromkeys(content_terms(sentence)):
                self._holding[term].append(number)
            self._figures += [(figure, number) for figure in find_figures(sentence)]

    def supporting(self, statement: str, query: str) -> list[tuple[int, int]]:
        """The sentences that hold most of what the statement says, best first, as runs (first, last).

        Empty where no sentence holds enough of it.
        """
        held = self._features(statement)
        total = sum(weight for weight, _ in held)
        if not total:
            return []
        score = self._scores(held)
        for weight, numbers in self._query_features(statement, query):
            for number in numbers:
                if number in score:
                    score[number] += weight
        chosen: list[int] = []
        while score and len(chosen) < MOST_CITATIONS:
            best = min(score, key=lambda number: (-score[number] * self._preference(number, chosen), number))
            gain = sum(weight for weight, numbers in held if best in numbers)
            if gain < total * (_LEAST_GAIN if chosen else _LEAST_COVERAGE):
                break
            chosen.append(best)
            held = [(weight, numbers) for weight, numbers in held if best not in numbers]
            score = self._scores(held)
        return _runs(chosen)

    def _features(self, statement: str) -> list[tuple[float, frozenset[int]]]:
        """What the statement holds: weight and sentences of each term and figure."""
        features = []
        for term in dict.fromkeys(content_terms(statement)):
            numbers = frozenset(self._holding.get(term, ()))
            features.append((self._rarity(len(numbers)), numbers))
        for figure in find_figures(statement):
            numbers = frozenset(number for stated, number in self._figures if states_figure(figure, stated))
            features.append((_FIGURE_WEIGHT * self._rarity(len(numbers)), numbers))
        return features

    def _query_features(self, statement: str, query: str) -> list[tuple[float, list[int]]]:
        said = set(content_terms(statement))
        asked = dict.fromkeys(term for term in content_terms(query) if term not in said)
        return [
            (_QUERY_WEIGHT * self._rarity(len(self._holding[term])), self._holding[term])
            for term in asked
            if term in self._holding
        ]

    def _rarity(self, n_holding: int) -> float:
        return math.log1p(self._n_sentences / (n_holding + 0.5))

    @staticmethod
    def _scores(held: Sequence[tuple[float, frozenset[int]]]) -> dict[int, float]:
        score: dict[int, float] = defaultdict(float)
        for weight, numbers in held:
            for number in sorted(numbers):
                score[number] += weight
        return score

    def _preference(self, number: int, chosen: Sequence[int]) -> float:
        """Short sentences before long ones; near what is chosen already before far."""
        if not chosen:
            return self._discount[number]
        distance = min(abs(number - other) for other in chosen)
        return self._discount[number] * (1 + 1 / (1 + distance / _NEAR_SENTENCES))


def _runs(chosen: Sequence[int]) -> list[tuple[int, int]]:
    """Numbers as runs, in the order in which they were chosen; neighbours share one."""
    runs: list[tuple[int, int]] = []
    for number in chosen:
        for index, (first, last) in enumerate(runs):
            if first - 1 <= number <= last + 1:
                runs[index] = (min(first, number), max(last, number))
                break
        else:
            runs.append((number, number))
    return runs
