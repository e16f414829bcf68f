"""Queries that the document does not answer, borrowed from another filing.

As in the published data, the context stays and the query comes from another company's pair
(MECHANICS). The paper paired at random and had people verify. Here a donor must pass two checks.
By rule, no figure and no name of its answer occurs in the context. By a model, the context does
not answer the query.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from tasks.core.ids import canonical_json, sha256_hex
from tasks.core.rows import Case, Context, QAPair, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Operation, Question, Reply
from tasks.inference.replies import read_option
from tasks.suites.failsafeqa.perturbations.absence import Evidence, Facts, core_name, evidence_of
from tasks.suites.failsafeqa.perturbations.material import Material, rejected
from tasks.suites.shared.cases import varied

NAME = "irrelevant_context"
MOST_DONORS = 40  # checked by rule, per case
MOST_QUESTIONS = 5  # asked of the model, per case


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeInputs:
    """The prompt's inputs."""

    context: str
    query: str


@dataclass(frozen=True, slots=True)
class _Donor:
    """A pair that may lend its query."""

    pair: QAPair
    evidence: Evidence
    filing_id: str
    company: str  # core name; empty if the filing names none


@dataclass(slots=True)
class _Search:
    """One case's search for a donor, and the results so far."""

    case: Case
    filing_id: str
    company: str
    seen: set[str] = field(default_factory=set)  # qa_pair_ids
    questions: int = 0
    held: int = 0  # donors without evidence, or with evidence that the context holds
    answerable: int = 0
    unreadable: int = 0


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Give each case a query that its context does not answer, or reject it if there is none."""
    ring = _Ring(material)

    @lru_cache(maxsize=16)
    def facts(context_id: str) -> Facts:
        return Facts.of(material.contexts[context_id].text)

    # Neighbours share a context: its facts are read once, and their prompts share a prefix.
    ordered = sorted(cases, key=lambda case: (case.context_id or "", case.case_id))
    searches = [
        _Search(
            case,
            filing_id=material.filing_ids[case.context_id or ""],
            company=core_name(material.company_names.get(case.context_id or "", "")),
        )
        for case in ordered
    ]
    while searches:
        asking: list[tuple[_Search, _Donor]] = []
        for search in searches:
            donor = _next_donor(search, ring, facts)
            if donor is None:
                yield _reject(search)
            else:
                asking.append((search, donor))
        questions = []
        for search, donor in asking:
            text = material.contexts[search.case.context_id or ""].text
            inputs = ScopeInputs(context=text, query=donor.pair.query)
            questions.append(Question(search.case.case_id, inputs, search.case.case_id))
        searches = []
        for (search, donor), reply in zip(
            asking, ask(material.engine, OPERATION, questions), strict=True
        ):
            if reply.value is False:
                yield _lent(search, donor, reply)
                continue
            search.answerable += reply.value is True
            search.unreadable += reply.value is None
            searches.append(search)


class _Ring:
    """All pairs on a circle, at places given by hashes.

    A case draws donors at places on the circle given by hashes of the seed, its pair and the
    attempt. So a draw depends on no order, looks at few donors, and changes little when donors come
    or go.
    """

    def __init__(self, material: Material) -> None:
        self.seed = material.seed
        donors = [
            _Donor(
                pair=pair,
                evidence=evidence_of(pair),
                filing_id=material.filing_ids[pair.context_id],
                company=core_name(material.company_names.get(pair.context_id, "")),
            )
            for pair in material.pairs.values()
        ]
        placed = sorted(
            (self._place("donor", donor.pair.qa_pair_id), donor.pair.qa_pair_id, donor)
            for donor in donors
        )
        self.places = [place for place, _, _ in placed]
        self.donors = [donor for _, _, donor in placed]

    def draw(self, search: _Search) -> _Donor | None:
        """Draw the next donor of another company with another question, if one is left."""
        start = bisect_left(
            self.places, self._place("case", search.case.qa_pair_id, len(search.seen))
        )
        for i in range(len(self.donors)):
            donor = self.donors[(start + i) % len(self.donors)]
            is_own = donor.filing_id == search.filing_id or (
                donor.company and donor.company == search.company
            )
            is_same = donor.pair.query == search.case.query
            if not is_own and not is_same and donor.pair.qa_pair_id not in search.seen:
                return donor
        return None

    def _place(self, *parts: str | int) -> int:
        return int(sha256_hex(canonical_json([self.seed, NAME, *parts]))[:16], 16)


def _next_donor(search: _Search, ring: _Ring, facts: Callable[[str], Facts]) -> _Donor | None:
    """Draw the next donor whose answer is absent by rule; None ends the search."""
    while search.questions < MOST_QUESTIONS and len(search.seen) < MOST_DONORS:
        donor = ring.draw(search)
        if donor is None:
            return None
        search.seen.add(donor.pair.qa_pair_id)
        company = [donor.company] if donor.company else []
        if donor.evidence and not facts(search.case.context_id or "").found(
            donor.evidence, company
        ):
            search.questions += 1
            return donor
        search.held += 1
    return None


def _lent(search: _Search, donor: _Donor, reply: Reply[bool]) -> Case:
    case = search.case
    return varied(
        case,
        NAME,
        query=donor.pair.query,
        target=donor.pair.answer,
        is_answerable=False,
        details=canonical_json(
            {
                "donor_qa_pair_id": donor.pair.qa_pair_id,
                "donor_filing_id": donor.filing_id,
                "absent": {
                    "figures": [figure.text for figure in donor.evidence.figures],
                    "names": [*donor.evidence.names, *([donor.company] if donor.company else [])],
                },
                "model_check": {
                    "request_id": reply.request.request_id,
                    "verdict": "not answerable",
                },
                "donors_looked_at": len(search.seen),
            }
        ),
    )


def _reject(search: _Search) -> Reject:
    if search.seen:
        reason = "no query from another filing is out of scope here"
        detail = (
            f"{len(search.seen)} looked at: the context holds figures or names of {search.held} "
            f"(or they have none), answers {search.answerable}, {search.unreadable} checks could "
            "not be read"
        )
    else:
        reason, detail = "no other filing to borrow a query from", f"filing {search.filing_id}"
    return rejected(NAME, search.case, reason, detail)


def read_verdict(reply: str) -> bool:
    """Read whether a reply says that the document answers; see `read_option`."""
    return read_option(reply, {r"not\W+answerable|unanswerable": False, "answerable": True})


OPERATION = Operation(
    name="check_irrelevant",
    template="failsafeqa/check_irrelevant",
    inputs=ScopeInputs,
    parse=read_verdict,
    is_verdict=True,
    sampling=Sampling(temperature=0.0, max_tokens=256),
)
