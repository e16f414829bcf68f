"""The ten passages of a question: up to five that state the answer, the others near and without it.

Noise is found by retrieval (BM25) among passages of this filing and of others.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from random import Random

from tasks.core.ids import stable_id, stable_rng
from tasks.suites.refusalbench.base.answers import holds
from tasks.suites.refusalbench.base.excerpts import HEAD
from tasks.suites.refusalbench.rows import BasePassage
from tasks.text.retrieval import Passage, Ranking, passages_of
from tasks.text.terms import content_terms

TEN = 10
MOST_SIGNAL = 5
_MOST_PASSAGES = 4_000  # of all filings
_MOST_HITS = 240  # passages that are looked at, before too few are found


class Pool:
    """Passages of all filings, drawn by chance: the more filings, the fewer of each."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        # by a hash of the document: of very many documents, those with the smallest ones stay
        self._drawn: dict[str, list[BasePassage]] = {}
        self._ranking: Ranking | None = None

    def add(self, passages: Sequence[BasePassage]) -> None:
        """Add the passages of one document."""
        if not passages:
            return
        document = stable_id("pool", self._seed, passages[0].document_id)
        rng = stable_rng(self._seed, "pool", passages[0].document_id)
        self._drawn[document] = rng.sample(passages, len(passages))
        if len(self._drawn) > _MOST_PASSAGES:
            del self._drawn[max(self._drawn)]
        for drawn in self._drawn.values():
            del drawn[max(1, _MOST_PASSAGES // len(self._drawn)) :]

    def in_turns(self) -> Iterator[BasePassage]:
        """Yield all passages; documents take turns."""
        longest = max(map(len, self._drawn.values()), default=0)
        for place in range(longest):
            for _, drawn in sorted(self._drawn.items()):
                yield from drawn[place : place + 1]

    def near(self, query: str) -> Iterator[BasePassage]:
        """Yield passages, nearest first, each once."""
        if self._ranking is None:
            self._passages = [*self.in_turns()]
            self._places = array("I")  # of each sentence or row, the passage
            self._ranking = Ranking(self._units())
        places = (
            self._places[number] for number, _, _ in self._ranking.ranked(content_terms(query))
        )
        for hits, place in enumerate(dict.fromkeys(places)):
            if hits == _MOST_HITS:
                return
            yield self._passages[place]

    def _units(self) -> Iterator[Passage]:
        """Yield the passages' sentences and table rows, and note of which passage each is."""
        for place, passage in enumerate(self._passages):
            for unit in passages_of(passage.text):
                self._places.append(place)
                yield unit


def ten_passages(
    query: str, answer: str, signal: Sequence[BasePassage], pool: Pool, rng: Random
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
    passages = own[:n_own] + others[: n_noise - n_own]
    rng.shuffle(passages)
    places = sorted(rng.sample(range(len(signal) + len(passages)), len(signal)))
    for place, passage in zip(places, signal, strict=True):
        passages.insert(place, passage)
    return passages


def _noise(
    query: str, answer: str, signal: Sequence[BasePassage], pool: Pool
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
