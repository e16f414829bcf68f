"""Queries that the document does not answer, borrowed from another filing.

As in the published data, the context stays and the query comes from another filing's pair
(MECHANICS). The paper paired at random and had people verify. Here donors are drawn at random, each
at most twice; none may have a figure of its answer in the context, and a model must say that the
context does not answer.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, islice

from tasks.core.ids import canonical_json, sha256_hex
from tasks.core.rows import Case, Context, QAPair, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Operation, Question, Reply
from tasks.inference.replies import read_value
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.failsafeqa.perturbations.material import Material, rejected
from tasks.suites.shared.cases import case_of, varied
from tasks.suites.shared.contexts import CONTEXTS_OF_A_PART

NAME = "irrelevant_context"
TRAIT = "borrowed"  # of a case: whose query it is
OTHER_YEAR, UNRELATED = "other year", "unrelated"

MOST_USES = 2  # of a donor
MOST_DONORS = 200  # looked at per case
MOST_QUESTIONS = 5  # asked of the model, per case
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_CHARS = 3  # of a figure that tells anything


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeInputs:
    """The prompt's inputs."""

    context: str
    query: str


@dataclass(slots=True)
class _Search:
    """One pair's search for a donor, and the results so far."""

    pair: QAPair
    donors: Iterator[QAPair]  # what is left of them, in the order drawn
    seen: int = 0
    replies: Counter[bool | None] = field(default_factory=Counter)
    donor: QAPair | None = None


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Give each case a query that its context does not answer, or reject it if there is none.

    A case's donor depends on all pairs of the release. So all of them get one, whichever cases are
    wanted.
    """
    wanted = {case.qa_pair_id: case for case in cases}
    suite = next((case.suite for case in wanted.values()), "")
    draw = _Draw(material)
    # Neighbours share a context: their prompts share a prefix.
    pairs = sorted(material.pairs.values(), key=lambda pair: (pair.context_id, pair.qa_pair_id))
    searches = [_Search(pair, draw.donors_for(pair)) for pair in pairs] if wanted else []
    while searches:
        for search in searches:
            draw.give(search)
        for search in searches:
            if search.donor is None and search.pair.qa_pair_id in wanted:
                yield _reject(search, suite)
        asking = [search for search in searches if search.donor is not None]
        searches = []
        for search, reply in _replies(asking, material, suite):
            search.replies[reply.value] += 1
            if reply.value is not False:
                draw.take_back(search)
                searches.append(search)
            elif search.pair.qa_pair_id in wanted:
                yield _lent(search, draw, reply, suite)


class _Draw:
    """Pairs in an order drawn from the seed, and how often each lends its query."""

    def __init__(self, material: Material) -> None:
        self.material = material
        placed = sorted((self._place("donor", key), key) for key in material.pairs)
        self._places = [place for place, _ in placed]
        self._ring = [material.pairs[key] for _, key in placed]
        self._uses: Counter[str] = Counter()
        self._on_context: set[tuple[str, str]] = set()

    def _place(self, *parts: object) -> int:
        return int(sha256_hex(canonical_json([self.material.seed, NAME, *parts]))[:15], 16)

    def donors_for(self, pair: QAPair) -> Iterator[QAPair]:
        """Yield donors of other filings, from a place of the pair's own on."""
        start = bisect_left(self._places, self._place("case", pair.qa_pair_id))
        count = len(self._ring)
        turned = (self._ring[(start + step) % count] for step in range(count))
        return islice((donor for donor in turned if self._may_lend(donor, pair)), MOST_DONORS)

    def _may_lend(self, donor: QAPair, pair: QAPair) -> bool:
        filings = self.material.filing_ids
        return filings[donor.context_id] != filings[pair.context_id] and donor.query != pair.query

    def give(self, search: _Search) -> None:
        """Give a search its next donor, or None if there is none or the model was asked enough."""
        search.donor = None
        if search.replies.total() == MOST_QUESTIONS:
            return
        context_id = search.pair.context_id
        for donor in search.donors:
            search.seen += 1
            used = self._uses[donor.qa_pair_id] >= MOST_USES
            if used or (context_id, donor.query) in self._on_context:
                continue
            if _holds(self.material.contexts[context_id].text, donor.answer):
                continue
            self._uses[donor.qa_pair_id] += 1
            self._on_context.add((context_id, donor.query))
            search.donor = donor
            return

    def take_back(self, search: _Search) -> None:
        """Count a donor's use no more."""
        assert search.donor is not None
        self._uses[search.donor.qa_pair_id] -= 1
        self._on_context.discard((search.pair.context_id, search.donor.query))

    def kind_of(self, donor: QAPair, pair: QAPair) -> str:
        """Tell whose query it is, by the SEC's number or else by name."""
        for of_context in (self.material.ciks, self.material.company_names):
            one, other = of_context.get(donor.context_id), of_context.get(pair.context_id)
            if one and other:
                return OTHER_YEAR if one == other else UNRELATED
        return UNRELATED


def _holds(text: str, answer: str) -> bool:
    """Check whether a context has a figure of an answer, years and small numbers aside."""
    figures = {
        figure
        for figure in _FIGURE.findall(answer)
        if len(figure) >= _LEAST_CHARS and not _YEAR.fullmatch(figure)
    }
    return not figures.isdisjoint(_figures_of(text))


@lru_cache(maxsize=4)
def _figures_of(text: str) -> frozenset[str]:
    return frozenset(_FIGURE.findall(text))


def _replies(
    searches: Sequence[_Search], material: Material, suite: str
) -> Iterator[tuple[_Search, Reply[bool]]]:
    """Ask whether each context answers the query that it was given.

    The texts of a part's contexts are in memory at once.
    """
    by_context = [list(some) for _, some in groupby(searches, lambda each: each.pair.context_id)]
    for start in range(0, len(by_context), CONTEXTS_OF_A_PART):
        some = [each for of in by_context[start : start + CONTEXTS_OF_A_PART] for each in of]
        questions = []
        for search in some:
            assert search.donor is not None
            case_id = case_of(search.pair, suite).case_id
            text = material.contexts[search.pair.context_id].text
            inputs = ScopeInputs(context=text, query=search.donor.query)
            questions.append(Question(case_id, inputs, case_id))
        yield from zip(some, ask(material.engine, OPERATION, questions), strict=True)


def _lent(search: _Search, draw: _Draw, reply: Reply[bool], suite: str) -> Case:
    donor = search.donor
    assert donor is not None
    details = {
        "donor_qa_pair_id": donor.qa_pair_id,
        "donor_filing_id": draw.material.filing_ids[donor.context_id],
        "model_check": {"request_id": reply.request.request_id, "verdict": "not answerable"},
    }
    return varied(
        case_of(search.pair, suite),
        NAME,
        query=donor.query,
        target=donor.answer,
        is_answerable=False,
        traits={TRAIT: draw.kind_of(donor, search.pair)},
        details=canonical_json(details),
    )


def _reject(search: _Search, suite: str) -> Reject:
    reason, detail = "no other filing to borrow a query from", f"pair {search.pair.qa_pair_id}"
    if search.seen:
        reason = "no query from another filing is out of scope here"
        detail = (
            f"{search.seen} looked at: the context answers {search.replies[True]}, "
            f"{search.replies[None]} checks could not be read; the others are lent elsewhere, or "
            "the context has their figures"
        )
    return rejected(NAME, case_of(search.pair, suite), reason, detail)


def read_verdict(reply: str) -> bool:
    """Read whether a reply says that the document answers; see `read_value`."""
    return read_value(reply, "verdict", {"answerable": True, "not answerable": False})


OPERATION = Operation(
    name="check_irrelevant",
    template="failsafeqa/check_irrelevant",
    inputs=ScopeInputs,
    parse=read_verdict,
    sampling=Sampling(temperature=0.0, max_tokens=256),
    schema=closed(reason=REASON, verdict=one_of("answerable", "not answerable")),
)
