"""A search for sentences that support a statement, by shared terms and figures.

It plays a citing model. A term or figure counts more the fewer sentences hold it, so one rare
figure outweighs many common words.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.quantities.text_tables import find_tables
from tasks.suites.failsafeqa.citations.statements import MOST_CITATIONS
from tasks.text.terms import content_terms

_FIGURE_WEIGHT = 1.5  # weight of a figure relative to an equally rare term
_QUERY_WEIGHT = 0.3  # weight of a query term that the statement does not repeat
_LEAST_COVERAGE = 0.35  # share of a statement's weight that its best sentence must hold
_LEAST_GAIN = 0.12  # share of a statement's weight that each further sentence must add
_LONG_SENTENCE_CHARS = 400  # much longer sentences hold many terms by chance
_MOST_ROWS = 80  # rows above a table row that are searched for the column heads
_NEAR_SENTENCES = 12  # about the distance from a table's rows to its head

# The powers of ten that a table omits: a cell says 1,234 for the text's $1.2 million.
_TABLE_POWERS = (3, 6, 9)
_CELL_BEFORE = re.compile(r"(?:\||  |\t|\.\.)[ $(]*\Z")
_CELL_AFTER = re.compile(r"[ %)]*(?:\||  |\t)")
_MARKUP = re.compile(r"</?[a-z][^<>]{0,200}>", re.IGNORECASE)


def read_tagged(tagged: str, letter: str) -> list[str]:
    """Read the sentences of a tagged text, without the tags `<C0>`, `<C1>`, ....

    Only the next number in sequence is a tag: `<C7>` in a document's own words is text.
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


@dataclass(frozen=True, slots=True)
class Stated:
    """A figure, and whether it stands in a table cell."""

    figure: Figure
    in_cell: bool

    def proves(self, said: Figure) -> bool:
        """Check whether this is the same quantity, stated at least as precisely.

        A cell may omit its table's scale, so 20 in a cell is $20 million. Elsewhere that takes
        three digits in common, or the 5 of `5 mills` would prove $5 million.
        """
        if _is_as_precise(said, self.figure):
            return True
        units = {said.unit, self.figure.unit}
        if self.in_cell and units == {"percent", "count"}:
            return abs(said.value) == abs(self.figure.value)  # the % stands in the row's label
        if not units <= {"money", "count"}:
            return False
        if not self.in_cell and min(_n_digits(said), _n_digits(self.figure)) < 3:
            return False
        if abs(said.value) > abs(self.figure.value):
            return any(_is_as_precise(said, _scaled(self.figure, power)) for power in _TABLE_POWERS)
        return any(_is_as_precise(_scaled(said, power), self.figure) for power in _TABLE_POWERS)


def _is_as_precise(said: Figure, stated: Figure) -> bool:
    return same_figure(said, stated) and (
        stated.decimals >= said.decimals or abs(stated.value) == abs(said.value)
    )


def _scaled(figure: Figure, power: int) -> Figure:
    return replace(figure, value=figure.value.scaleb(power), decimals=figure.decimals - power)


def _n_digits(figure: Figure) -> int:
    return len("".join(char for char in figure.text if char.isdigit()).lstrip("0"))


def stated_figures(text: str) -> list[Stated]:
    """Find the figures of a text; tell whether they are in table cells (bars or wide gaps)."""
    return [
        Stated(
            figure,
            bool(_CELL_BEFORE.search(text, max(0, figure.start_char - 8), figure.start_char))
            or bool(_CELL_AFTER.match(text, figure.end_char)),
        )
        for figure in find_figures(text)
    ]


def without_markup(text: str) -> str:
    """Replace a text's tags by spaces: some answers are HTML tables."""
    return _MARKUP.sub(" ", text)


def said_terms(text: str) -> list[str]:
    """Find the distinct terms of an answer outside markup and figures."""
    plain = without_markup(text)
    return list(dict.fromkeys(content_terms(without_figures(plain, find_figures(plain)))))


def without_figures(text: str, figures: Sequence[Figure]) -> str:
    """Replace a text's figures by spaces."""
    for figure in figures:
        blank = " " * (figure.end_char - figure.start_char)
        text = text[: figure.start_char] + blank + text[figure.end_char :]
    return text


class _Feature(NamedTuple):
    """A term or figure of a statement, with the sentences that hold it."""

    weight: float
    numbers: frozenset[int]
    is_figure: bool


class Evidence:
    """The sentences of one document, indexed to find what supports a statement."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._sentences = sentences
        excess = [max(0, len(each) - _LONG_SENTENCE_CHARS) for each in sentences]
        self._discount = [
            1 / (1 + 0.25 * math.log1p(chars / _LONG_SENTENCE_CHARS)) for chars in excess
        ]
        self._holding: dict[str, list[int]] = defaultdict(list)
        self._figures: list[tuple[Stated, int]] = []
        self._heads = dict(_heads_of_rows(sentences))
        for number, sentence in enumerate(sentences):
            for term in dict.fromkeys(content_terms(sentence)):
                self._holding[term].append(number)
            heads = stated_figures(self._heads.get(number, ""))
            years = [stated for stated in heads if stated.figure.unit == "year"]
            self._figures += [(stated, number) for stated in stated_figures(sentence) + years]

    def supporting(self, statement: str, query: str) -> list[tuple[int, int]]:
        """Find the sentences that hold most of the statement.

        They are runs (first, last), best first. Empty if no sentence holds enough of it.
        """
        held = self._features(statement)
        total = sum(feature.weight for feature in held)
        if not total:
            return []
        score = self._scores(held)
        years = _years_of(without_markup(statement))
        said = said_terms(statement)
        for term in dict.fromkeys(content_terms(query)):
            numbers = self._holding.get(term, [])
            for number in numbers if term not in said else ():
                if number in score:
                    score[number] += _QUERY_WEIGHT * self._rarity(len(numbers))
        chosen: list[int] = []
        while score and len(chosen) < MOST_CITATIONS:
            best = min(
                score,
                key=lambda number: (-score[number] * self._preference(number, chosen), number),
            )
            gained = [feature for feature in held if best in feature.numbers]
            gain = sum(feature.weight for feature in gained)
            if gain < total * (_LEAST_GAIN if chosen else _LEAST_COVERAGE):
                break
            if chosen and len(gained) == 1 and not gained[0].is_figure:
                break  # one word in common proves nothing
            named = years or (_years_of(query) if best in self._heads else set())
            chosen += [best, *self._lines_of_years(best, named)]
            held = [feature for feature in held if feature.numbers.isdisjoint(chosen)]
            if best in self._heads and not any(feature.is_figure for feature in held):
                break  # what is left are words such as `went`, which prove nothing
            score = self._scores(held)
        return _runs(chosen)[:MOST_CITATIONS]

    def _lines_of_years(self, row: int, years: set[str]) -> list[int]:
        """Find the line above a table row that names its years: the nearest with no other figure.

        Without one, the nearest that names a year. Empty if the row itself names them all.
        """
        wanted = years - _years_of(self._sentences[row])
        nearest: list[int] = []
        for number in range(row - 1, max(-1, row - _MOST_ROWS), -1):
            sentence = self._sentences[number]
            if not wanted or sentence.endswith("\n\n"):
                break
            if wanted & _years_of(sentence):
                if all(figure.unit == "year" for figure in find_figures(sentence)):
                    return [number]
                nearest = nearest or [number]
        return nearest

    def _features(self, statement: str) -> list[_Feature]:
        """Find the sentences that hold each term and figure of the statement."""
        features = []
        for term in said_terms(statement):
            numbers = frozenset(self._holding.get(term, ()))
            features.append(_Feature(self._rarity(len(numbers)), numbers, False))
        for figure in find_figures(without_markup(statement)):
            numbers = frozenset(number for stated, number in self._figures if stated.proves(figure))
            weight = _FIGURE_WEIGHT * self._rarity(len(numbers))
            features.append(_Feature(weight, numbers, True))
        return features

    def _rarity(self, n_holding: int) -> float:
        return math.log1p(len(self._sentences) / (n_holding + 0.5))

    @staticmethod
    def _scores(held: Sequence[_Feature]) -> dict[int, float]:
        score: dict[int, float] = defaultdict(float)
        for feature in held:
            for number in feature.numbers:
                score[number] += feature.weight
        return score

    def _preference(self, number: int, chosen: Sequence[int]) -> float:
        """Favour short sentences, and those near sentences already chosen."""
        if not chosen:
            return self._discount[number]
        distance = min(abs(number - other) for other in chosen)
        return self._discount[number] * (1 + 1 / (1 + distance / _NEAR_SENTENCES))


def _heads_of_rows(sentences: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the sentences that are table rows, each with what stands above its columns."""
    starts = [0, *accumulate(map(len, sentences))]
    for table in find_tables("".join(sentences)):
        for row in table.rows:
            yield bisect_right(starts, row.spans[0][0]) - 1, " ".join(row.heads)


def _years_of(text: str) -> set[str]:
    return {figure.text for figure in find_figures(text) if figure.unit == "year"}


def _runs(chosen: Sequence[int]) -> list[tuple[int, int]]:
    """Group numbers into runs in the order they were chosen."""
    runs: list[tuple[int, int]] = []
    for number in chosen:
        for index, (first, last) in enumerate(runs):
            if first - 1 <= number <= last + 1:
                runs[index] = (min(first, number), max(last, number))
                break
        else:
            runs.append((number, number))
    return runs
