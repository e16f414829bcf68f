"""Index a text's sentences and table rows by term, and rank them against a query.

The score is Okapi BM25 (Robertson and Zaragoza 2009) over stemmed terms. A passage also has, at a
lower weight, the terms of its heading, or of its table's caption and section.
"""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import log

from tasks.quantities.figures import Figure, find_figures
from tasks.quantities.text_tables import YEAR, TableRow, TextTable, find_tables, paragraphs
from tasks.text.sentences import split_sentences
from tasks.text.terms import content_terms

_SATURATION = 1.2  # BM25's k1
_LENGTH_WEIGHT = 0.4  # BM25's b: rows are always short, so length says less than usual
_SURROUNDINGS = 0.35  # weight of a term of the heading or caption; one of the passage has 1


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """One sentence, or one table row, which has `row` and `table`."""

    start_char: int
    end_char: int
    text: str
    terms: Counter[str]
    surroundings: frozenset[str]
    years: frozenset[str]
    row: TableRow | None
    table: TextTable | None

    @property
    def figures(self) -> list[Figure]:
        """The quantities that it states, in its table's scale."""
        return find_figures(self.text, self.table.scale if self.table else None)


class Ranking:
    """Numbered passages by term, without their texts."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._postings: dict[str, list[tuple[int, float]]] = {}
        lengths = array("I")
        for number, passage in enumerate(passages):
            rest = sorted(passage.surroundings - passage.terms.keys())
            counted = chain(passage.terms.items(), ((term, _SURROUNDINGS) for term in rest))
            shared: dict[float, tuple[int, float]] = {}  # most terms of a passage occur once
            for term, count in counted:
                posting = shared.setdefault(count, (number, float(count)))
                self._postings.setdefault(term, []).append(posting)
            lengths.append(passage.terms.total())
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        self._norms = [
            1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * length / max(mean, 1.0) for length in lengths
        ]

    def weight(self, term: str) -> float:
        """Return a term's weight (BM25's idf); an unknown term has the highest."""
        n_with = len(self._postings.get(term, ()))
        return log(1 + (len(self._norms) - n_with + 0.5) / (n_with + 0.5))

    def ranked(self, terms: list[str]) -> list[tuple[int, float]]:
        """Return number and coverage of all passages that share a term with the query.

        The best is first; ties are in the order of numbers. Coverage is the share of the query's
        terms that a passage has, weighted by rarity.
        """
        scores: dict[int, float] = {}
        covered: dict[int, float] = {}
        total = 0.0
        for term in dict.fromkeys(terms):
            weight = self.weight(term)
            total += weight
            for number, count in self._postings.get(term, ()):
                gain = count * (_SATURATION + 1) / (count + _SATURATION * self._norms[number])
                scores[number] = scores.get(number, 0.0) + weight * gain
                covered[number] = covered.get(number, 0.0) + weight * min(count, 1.0)
        order = sorted(scores, key=lambda number: (-scores[number], number))
        return [(number, covered[number] / total) for number in order]


class Index(Ranking):
    """The passages of one text, by term."""

    def __init__(self, text: str) -> None:
        self.passages = list(passages_of(text))
        super().__init__(self.passages)

    def rank(self, terms: list[str]) -> list[tuple[Passage, float]]:
        """Return the passages of `ranked`, with their coverage."""
        return [(self.passages[number], coverage) for number, coverage in self.ranked(terms)]


@lru_cache(maxsize=8)
def index_of(text: str) -> Index:
    """Return the index of a text; the last few are cached, since a text's queries come together."""
    return Index(text)


def years_in(text: str) -> frozenset[str]:
    """Return the years from 1900 to 2099 in a text."""
    return frozenset(YEAR.findall(text))


def passages_of(text: str) -> Iterator[Passage]:
    """Yield the sentences and table rows of a text, in order."""
    tables = iter(find_tables(text))
    table = next(tables, None)
    heading: frozenset[str] = frozenset()
    spans = deque(split_sentences(text))
    for start, end in paragraphs(text):
        sentences = []
        while spans and spans[0].start_char < end:
            sentences.append(spans.popleft())
        if table is not None and table.start_char == start:
            yield from _row_passages(text, table)
            table = next(tables, None)
        else:
            for span in sentences:
                sentence = text[span.start_char : span.end_char]
                terms = Counter(content_terms(sentence))
                yield Passage(*span, sentence, terms, heading, years_in(sentence), None, None)
            if is_heading(text[start:end]):
                heading = frozenset(content_terms(text[start:end]))


def is_heading(paragraph: str) -> bool:
    """Whether a paragraph is a heading: short, and not a sentence."""
    return (
        3 < len(paragraph) < 100
        and "\n" not in paragraph
        and paragraph.rstrip()[-1:] not in ".;,:?"
    )


def _row_passages(text: str, table: TextTable) -> Iterator[Passage]:
    caption = frozenset(content_terms(table.caption))
    for row in table.rows:
        start, end, heads = row.start_char, row.end_char, " ".join(row.heads)
        terms = Counter(content_terms(row.label))
        surroundings = caption.union(content_terms(f"{row.section} {heads}"))
        years = years_in(f"{row.label} {heads}") or years_in(table.caption)
        yield Passage(start, end, text[start:end], terms, surroundings, years, row, table)
