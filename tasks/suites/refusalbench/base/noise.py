"""The ten passages of a question: up to five that state the answer, the others near and without it.

Noise is found by retrieval (BM25) in the same filing and among passages of other filings.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from random import Random

from tasks.quantities.figures import find_figures
from tasks.suites.refusalbench.base.answers import holds
from tasks.suites.refusalbench.base.excerpts import FilingText
from tasks.suites.refusalbench.base.statements import Statement
from tasks.suites.refusalbench.rows import BasePassage
from tasks.suites.shared.phrases import YEAR
from tasks.text.retrieval import Passage, Ranking, passages_of
from tasks.text.sentences import split_sentences
from tasks.text.terms import content_terms

TEN = 10
MOST_SIGNAL = 5
_OWN = 0.5  # share of noise of the question's own filing
_MOST_HITS = 120  # passages that are looked at, before too few are found


class Pool:
    """Passages of all filings, by term."""

    def __init__(self, passages: Sequence[BasePassage]) -> None:
        self._passages = passages
        self._places = array("I")  # of each sentence or row, the passage
        self._ranking = Ranking(self._units())

    def _units(self) -> Iterator[Passage]:
        """Yield the passages' sentences and table rows, and note of which passage each is."""
        for place, each in enumerate(self._passages):
            for unit in passages_of(each.text):
                self._places.append(place)
                yield unit

    def near(self, query: str) -> Iterator[BasePassage]:
        """Yield passages, nearest first, each once."""
        seen: set[int] = set()
        for number, _, _ in self._ranking.ranked(content_terms(query))[:_MOST_HITS]:
            place = self._places[number]
            if place not in seen:
                seen.add(place)
                yield self._passages[place]


def ten_passages(
    asked: Statement,
    quoted: Sequence[BasePassage],
    filing: FilingText,
    pool: Pool,
    rng: Random,
) -> list[BasePassage]:
    """Return ten passages in the order shown, fewer if too few are found.

    `quoted` state the answer; the first of them is the first of the signal passages.
    """
    signal = apart(quoted)[:MOST_SIGNAL]
    n_noise = TEN - len(signal)
    own = _own_noise(asked, filing, quoted)
    others = (
        passage
        for passage in pool.near(_without(filing.company, asked.query))
        if passage.document_id != filing.document.document_id
        and not holds(passage.text, asked.answer)
    )
    noise = _first(others, n_noise - round(n_noise * _OWN))
    noise += _first(own, n_noise - len(noise))
    noise += _first(others, n_noise - len(noise))
    rng.shuffle(noise)
    places = sorted(rng.sample(range(len(signal) + len(noise)), len(signal)))
    for place, passage in zip(places, signal, strict=True):
        noise.insert(place, passage)
    return noise


def _without(company: str, query: str) -> str:
    return query.replace(company, " ") if company else query


def _own_noise(
    statement: Statement, filing: FilingText, quoted: Sequence[BasePassage]
) -> Iterator[BasePassage]:
    """Yield passages of the same filing that say nothing of what is asked."""
    found = list(quoted)
    query = content_terms(_without(filing.company, statement.query))
    for hit in filing.index.rank(query)[:_MOST_HITS]:
        passage = filing.around(hit.passage.start_char, hit.passage.end_char)
        if passage is None or _overlap(passage, found):
            continue
        body = passage.text.removeprefix(filing.head)
        if not _treats(statement, body) and not holds(passage.text, statement.answer):
            found.append(passage)
            yield passage


def _treats(statement: Statement, text: str) -> bool:
    """Whether a text speaks of the measure in the period, or a sentence has a like figure of it."""
    terms = set(content_terms(statement.measure.removeprefix("share of ")))
    years = set(YEAR.findall(statement.period))
    if terms <= set(content_terms(text)) and years <= set(YEAR.findall(text)):
        return True
    if statement.figure is None:
        return False
    for start, end in split_sentences(text):
        sentence = text[start:end]
        said = set(YEAR.findall(sentence))
        is_near = 3 * len(terms & set(content_terms(sentence))) >= 2 * len(terms)
        is_of_year = not said or not years.isdisjoint(said)
        if (
            is_near
            and is_of_year
            and statement.figure.unit in (figure.unit for figure in find_figures(sentence))
        ):
            return True
    return False


def apart(passages: Iterable[BasePassage]) -> list[BasePassage]:
    """Return passages without those that overlap an earlier one."""
    found: list[BasePassage] = []
    for passage in passages:
        if not _overlap(passage, found):
            found.append(passage)
    return found


def _overlap(passage: BasePassage, others: Sequence[BasePassage]) -> bool:
    start, end = passage.start_char, passage.start_char + len(passage.text)
    return any(
        (start < other.start_char + len(other.text) and other.start_char < end)
        or other.text == passage.text  # a table that a filing repeats
        for other in others
        if other.document_id == passage.document_id
    )


def _first(passages: Iterator[BasePassage], n: int) -> list[BasePassage]:
    return [passage for _, passage in zip(range(n), passages, strict=False)]
