"""The ten passages of a question: up to five that state the answer, the others near and without it.

Noise is found by retrieval (BM25) among passages of this filing and of others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import nsmallest
from random import Random

from tasks.core.ids import stable_rng
from tasks.suites.refusalbench.base.answers import holds
from tasks.suites.refusalbench.base.excerpts import HEAD
from tasks.suites.refusalbench.rows import BasePassage
from tasks.text.retrieval import Passage, Ranking
from tasks.text.terms import content_terms

TEN = 10
MOST_SIGNAL = 5
_MOST_PASSAGES = 4_000  # of all filings
_MOST_HITS = 240  # passages that are looked at, before too few are found


class PassagePool:
    """Passages of all filings, drawn by chance: the more filings, the fewer of each."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn: list[tuple[float, BasePassage]] = []
        self._ranking: Ranking | None = None

    def add(self, passages: Sequence[BasePassage]) -> None:
        """Add the passages of one document."""
        for passage in passages:
            rng = stable_rng(self._seed, "pool", passage.document_id, passage.start_char)
            self._drawn.append((rng.random(), passage))
        self._drawn = nsmallest(_MOST_PASSAGES, self._drawn, key=lambda drawn: drawn[0])

    @property
    def passages(self) -> list[BasePassage]:
        """All passages, in the order in which they were drawn."""
        return [passage for _, passage in self._drawn]

    def near(self, query: str) -> Iterator[BasePassage]:
        """Yield passages that share words with a query, nearest first."""
        if self._ranking is None:
            self._ranking = Ranking(map(_indexed, self.passages))
        for number, _ in self._ranking.ranked(content_terms(query))[:_MOST_HITS]:
            yield self._drawn[number][1]


def _indexed(passage: BasePassage) -> Passage:
    """Return a whole passage as one that a ranking can index."""
    text, nothing = passage.text, frozenset[str]()
    return Passage(0, len(text), text, Counter(content_terms(text)), nothing, nothing, None, None)


def ten_passages(
    query: str, answer: str, signal: Sequence[BasePassage], pool: PassagePool, rng: Random
) -> list[BasePassage]:
    """Return ten passages in the order shown, fewer if too few are found.

    Half of the noise is of the question's own filing, if it has so much.
    """
    n_noise = TEN - len(signal)
    own: list[BasePassage] = []
    others: list[BasePassage] = []
    for passage in _noise(query, answer, signal, pool):
        of_its_kind = own if passage.document_id == signal[0].document_id else others
        of_its_kind.append(passage)
        if min(len(own), len(others)) > n_noise // 2:
            break
    n_own = min(len(own), max(n_noise // 2, n_noise - len(others)))
    passages = [*signal, *own[:n_own], *others[: n_noise - n_own]]
    rng.shuffle(passages)
    return passages


def _noise(
    query: str, answer: str, signal: Sequence[BasePassage], pool: PassagePool
) -> Iterator[BasePassage]:
    """Yield near passages that neither have the answer nor all words of the query."""
    head = HEAD.match(signal[0].text)
    query = query.replace(head["company"], " ") if head else query
    terms, texts = {*content_terms(query)}, {passage.text for passage in signal}
    for passage in pool.near(query):
        is_other = passage.text not in texts and not terms <= {*content_terms(passage.text)}
        if is_other and not holds(passage.text, answer):
            texts.add(passage.text)  # a filing may repeat a table
            yield passage
