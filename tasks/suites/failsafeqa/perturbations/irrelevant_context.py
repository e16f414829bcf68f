"""Queries that the document does not answer, borrowed from another filing.

As in the published data, the context stays and the query comes from another filing's pair
(MECHANICS). The paper paired at random and had people verify. Here donors are drawn at random, each
at most twice; none may have a figure of its answer in the context, and a model must say that the
context does not answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby

from tasks.core.ids import canonical_json, stable_rng
from tasks.core.rows import Case, Context, QAPair, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Operation, Question, Reply
from tasks.inference.replies import read_value
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.failsafeqa.perturbations.material import Material, rejected
from tasks.suites.shared.cases import case_of, varied
from tasks.suites.shared.contexts import CONTEXTS_OF_A_PART, ContextInputs

NAME = "irrelevant_context"

MOST_USES = 2  # of a donor
MOST_DRAWS = 200  # of donors, per case
MOST_QUESTIONS = 5  # asked of the model, per case
_FIGURE = re.compile(r"\d+(?:,\d+)*(?:\.\d+)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_CHARS = 3  # of a figure that tells anything

# --- the check ---------------------------------------------------------------------------


OPERATION: Operation[ContextInputs, bool] = Operation(
    name="check_irrelevant",
    template="failsafeqa/check_irrelevant",
    inputs=ContextInputs,
    parse=partial(read_value, key="verdict", options={"answerable": True, "not answerable": False}),
    sampling=Sampling(temperature=0.0, max_tokens=256),
    schema=closed(reason=REASON, verdict=one_of("answerable", "not answerable")),
)

# --- cases -------------------------------------------------------------------------------


@dataclass(slots=True)
class _Search:
    """One pair's search for a donor: the one that it tries now, and how many a model refused."""

    pair: QAPair
    donors: Iterator[QAPair]  # those that are left of the draw
    donor: QAPair | None = None
    n_refused: int = 0


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Give each case a query that its context does not answer, or reject it if there is none.

    A case's donor depends on all pairs of the release. So all of them get one, whichever cases are
    wanted.
    """
    wanted = {case.qa_pair_id: case for case in cases}
    if not wanted:
        return
    suite = next(iter(wanted.values())).suite
    # Neighbours share a context: their prompts share a prefix.
    pairs = sorted(material.pairs.values(), key=lambda pair: (pair.context_id, pair.qa_pair_id))
    searches = [_Search(pair, _draw_donors(pair, pairs, material)) for pair in pairs]
    n_uses: Counter[str] = Counter()  # by the donor's qa_pair_id
    lent: set[tuple[str, str]] = set()  # context_id, query
    while searches:
        for search in searches:
            search.donor = _next_donor(search, n_uses, lent, material)
            if search.donor is not None:
                n_uses[search.donor.qa_pair_id] += 1
                lent.add((search.pair.context_id, search.donor.query))
            elif search.pair.qa_pair_id in wanted:
                yield _reject(search, suite, material)
        asking = [search for search in searches if search.donor is not None]
        searches = []
        for search, reply in _ask(asking, material, suite):
            assert search.donor is not None
            if reply.value is not False:
                n_uses[search.donor.qa_pair_id] -= 1
                lent.discard((search.pair.context_id, search.donor.query))
                search.n_refused += 1
                searches.append(search)
            elif search.pair.qa_pair_id in wanted:
                yield _borrow(search.pair, search.donor, reply, suite, material)


def _draw_donors(pair: QAPair, pairs: Sequence[QAPair], material: Material) -> Iterator[QAPair]:
    """Draw pairs of other filings; one may come again."""
    rng, filings = stable_rng(material.seed, NAME, pair.qa_pair_id), material.filing_ids
    for _ in range(MOST_DRAWS):
        donor = rng.choice(pairs)
        if filings[donor.context_id] != filings[pair.context_id] and donor.query != pair.query:
            yield donor


def _next_donor(
    search: _Search, n_uses: Counter[str], lent: set[tuple[str, str]], material: Material
) -> QAPair | None:
    """Return the next donor that may lend its query; None if none is left, or to be asked about."""
    if search.n_refused == MOST_QUESTIONS:
        return None
    context_id = search.pair.context_id
    for donor in search.donors:
        is_free = n_uses[donor.qa_pair_id] < MOST_USES and (context_id, donor.query) not in lent
        if is_free and not _holds(material.contexts[context_id].text, donor.answer):
            return donor
    return None


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


def _ask(
    searches: Sequence[_Search], material: Material, suite: str
) -> Iterator[tuple[_Search, Reply[bool]]]:
    """Ask whether each context answers the query that it was given.

    The texts of a part's contexts are in memory at once.
    """
    by_context = [list(some) for _, some in groupby(searches, lambda one: one.pair.context_id)]
    for start in range(0, len(by_context), CONTEXTS_OF_A_PART):
        part = [one for some in by_context[start : start + CONTEXTS_OF_A_PART] for one in some]
        questions = []
        for search in part:
            assert search.donor is not None
            case_id = case_of(search.pair, suite).case_id
            text = material.contexts[search.pair.context_id].text
            inputs = ContextInputs(context=text, query=search.donor.query)
            questions.append(Question(case_id, inputs, case_id))
        yield from zip(part, ask(material.engine, OPERATION, questions), strict=True)


def _borrow(
    pair: QAPair, donor: QAPair, reply: Reply[bool], suite: str, material: Material
) -> Case:
    details = {
        "donor_qa_pair_id": donor.qa_pair_id,
        "donor_filing_id": material.filing_ids[donor.context_id],
        "model_check": {"request_id": reply.request.request_id, "verdict": "not answerable"},
    }
    return varied(
        case_of(pair, suite),
        NAME,
        query=donor.query,
        target=donor.answer,
        is_answerable=False,
        details=canonical_json(details),
    )


def _reject(search: _Search, suite: str, material: Material) -> Reject:
    filings = {material.filing_ids[pair.context_id] for pair in material.pairs.values()}
    reason, detail = "no other filing to borrow a query from", f"pair {search.pair.qa_pair_id}"
    if len(filings) > 1:
        reason = "no query from another filing is out of scope here"
        detail = (
            f"of {search.n_refused} the model did not say so; the context has figures of the "
            "others' answers, or they are lent elsewhere"
        )
    return rejected(NAME, case_of(search.pair, suite), reason, detail)
