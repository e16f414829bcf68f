"""Queries that the document does not answer, borrowed from another filing.

As in the published data, the context stays and the query comes from another filing's pair
(MECHANICS). The paper paired at random and had people verify. Here a donor must pass two checks.
By rule, no figure and no name of its answer occurs in the context. By a model, the context does
not answer the query.

A third of the queries are hard: the document is the donor's own company in another year, or speaks
of the same measure. Donors are dealt over the whole release, so that each lends its query once or
twice while others are free.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, groupby, islice
from sys import intern

from tasks.core.ids import canonical_json, sha256_hex
from tasks.core.rows import Case, Context, QAPair, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Operation, Question, Reply
from tasks.inference.replies import read_value
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites.failsafeqa.perturbations.absence import Evidence, Facts, core_name, evidence_of
from tasks.suites.failsafeqa.perturbations.material import Material, rejected
from tasks.suites.failsafeqa.perturbations.mentions import company_mentions
from tasks.suites.shared.cases import case_of, varied
from tasks.suites.shared.contexts import CONTEXTS_OF_A_PART
from tasks.text.retrieval import index_of, years_in
from tasks.text.terms import content_terms, names_in

NAME = "irrelevant_context"
TRAIT = "borrowed"  # of a case: how near the borrowed query is to the document
OTHER_YEAR, SAME_MEASURE, UNRELATED = "other year", "same measure", "unrelated"
_KINDS = (OTHER_YEAR, SAME_MEASURE, UNRELATED)
_NONE = -1  # no offer

MOST_DONORS = 40  # of the same company, of like queries, and by chance: checked by rule, per case
MOST_LIKE = 10 * MOST_DONORS  # of like queries: weighed, per case
MOST_USES = 2  # of a donor, while a case has others
MOST_QUESTIONS = 5  # asked of the model, per case
HARD_ONE_IN = 3
_FEWEST_TERMS = 2  # of a measure
# Share of a measure's words, weighted by rarity, that must stand together to speak of it.
_SPEAKS_OF = 0.8
# Words of a query that name no measure.
_FRAME = frozenset(
    content_terms(
        "company fiscal year ended months quarter January February March April May June July "
        "August September October November December percentage percent account represent change "
        "increase decrease annual report according create write html table short note list bullet "
        "points"
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeInputs:
    """The prompt's inputs."""

    context: str
    query: str


@dataclass(frozen=True, slots=True)
class _Filing:
    """What tells filings apart."""

    filing_id: str
    company: str  # core name; empty if the filing names none
    cik: str | None
    fiscal_year: int | None

    def is_of(self, other: _Filing) -> bool:
        """Check whether both are the same company's, by the SEC's number or else by name."""
        if self.cik and other.cik:
            return self.cik == other.cik
        return bool(self.company) and self.company == other.company


@dataclass(frozen=True, slots=True)
class _Donor:
    """A pair that may lend its query."""

    pair: QAPair
    evidence: Evidence
    filing: _Filing
    years: tuple[str, ...]  # that the query names
    terms: tuple[str, ...]  # of what the query asks, without company and period


@dataclass(slots=True)
class _Search:
    """One pair's search for a donor, and the results so far.

    A release has one for each pair in memory at once, so an offer is a number: of a donor, and of
    the kind of its query (`_offer`).
    """

    pair: QAPair
    left: array[int]  # offers
    seen: int
    held: int  # donors without evidence, or with evidence that the context holds
    dealt: int = _NONE  # offer
    questions: int = 0
    answerable: int = 0
    unreadable: int = 0


def _offer(donor: int, kind: str) -> int:
    return donor * len(_KINDS) + _KINDS.index(kind)


def _donor_of(offer: int) -> int:
    return offer // len(_KINDS)


def _kind_of(offer: int) -> str:
    return _KINDS[offer % len(_KINDS)]


class _Uses:
    """How often each donor lends its query, in all and on each context."""

    def __init__(self, n_donors: int) -> None:
        self._of_donor = array("I", bytes(4 * n_donors))
        self._on_context: dict[str, array[int]] = {}

    def add(self, context_id: str, donor: int) -> None:
        """Count a use."""
        self._of_donor[donor] += 1
        self._on_context.setdefault(context_id, array("I")).append(donor)

    def remove(self, context_id: str, donor: int) -> None:
        """Count a use no more."""
        self._of_donor[donor] -= 1
        self._on_context[context_id].remove(donor)

    def of(self, donor: int) -> int:
        """Return how often a donor is used."""
        return self._of_donor[donor]

    def has(self, context_id: str, donor: int) -> bool:
        """Check whether a context has a donor's query already."""
        return donor in self._on_context.get(context_id, ())


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Give each case a query that its context does not answer, or reject it if there is none.

    A case's donor depends on all pairs of the release. So all of them are dealt donors, whichever
    cases are wanted.
    """
    wanted, suite = set(), ""
    for case in cases:
        wanted.add(intern(case.qa_pair_id))
        suite = case.suite
    if not wanted:
        return
    ring = _Ring(material)
    searches = _searches(ring, material)
    uses = _Uses(len(ring.donors))
    hard_wanted = -(-len(searches) // HARD_ONE_IN)
    while searches:
        _deal(searches, ring, uses, hard_wanted)
        asking = []
        for search in searches:
            if search.dealt != _NONE:
                asking.append(search)
            elif search.pair.qa_pair_id in wanted:
                yield _reject(search, suite)
        searches = []
        for search, reply in _replies(asking, ring, material, suite):
            search.questions += 1
            if reply.value is False:
                hard_wanted -= _kind_of(search.dealt) != UNRELATED
                if search.pair.qa_pair_id in wanted:
                    yield _lent(search, ring, reply, suite)
                continue
            uses.remove(search.pair.context_id, _donor_of(search.dealt))
            search.dealt = _NONE
            search.answerable += reply.value is True
            search.unreadable += reply.value is None
            searches.append(search)


def _searches(ring: _Ring, material: Material) -> list[_Search]:
    """Look for the donors of all pairs."""
    draw = _Draw(ring)
    # Neighbours share a context: its facts are read once, and their prompts share a prefix.
    pairs = sorted(material.pairs.values(), key=lambda pair: (pair.context_id, pair.qa_pair_id))
    searches = [_search(pair, draw, ring, material) for pair in pairs]
    ring.keep_pairs_and_names()
    return searches


def _search(pair: QAPair, draw: _Draw, ring: _Ring, material: Material) -> _Search:
    """Look for donors whose answers are absent from a pair's context by rule."""
    filing = ring.filings[pair.context_id]
    text = material.contexts[pair.context_id].text
    drawn = draw.donors_for(pair, filing)
    offers = [
        _offer(donor, kind)
        for donor in drawn
        if (kind := _kind(ring.donors[donor], filing, text)) is not None
    ]
    return _Search(pair, array("I", offers), seen=len(drawn), held=len(drawn) - len(offers))


def _replies(
    asking: Sequence[_Search], ring: _Ring, material: Material, suite: str
) -> Iterator[tuple[_Search, Reply[bool]]]:
    """Ask whether contexts answer queries; the texts of a part are in memory at once."""
    by_context = groupby(asking, key=lambda search: search.pair.context_id)
    while some := list(
        chain.from_iterable([*same] for _, same in islice(by_context, CONTEXTS_OF_A_PART))
    ):
        questions = []
        for search in some:
            text = material.contexts[search.pair.context_id].text
            query = ring.donors[_donor_of(search.dealt)].pair.query
            case_id = case_of(search.pair, suite).case_id
            questions.append(Question(case_id, ScopeInputs(context=text, query=query), case_id))
        yield from zip(some, ask(material.engine, OPERATION, questions), strict=True)


class _Ring:
    """All pairs as donors on a circle, at places given by hashes."""

    def __init__(self, material: Material) -> None:
        self.seed = material.seed
        self.filings = {
            context_id: _Filing(
                filing_id=filing_id,
                company=core_name(material.company_names.get(context_id, "")),
                cik=material.ciks.get(context_id),
                fiscal_year=material.fiscal_years.get(context_id),
            )
            for context_id, filing_id in material.filing_ids.items()
        }
        donors = {
            pair_id: _Donor(
                pair,
                _slim(evidence_of(pair, material.contexts[pair.context_id].text)),
                self.filings[pair.context_id],
                tuple(map(intern, sorted(years_in(pair.query)))),
                _asked(pair.query, material.company_names.get(pair.context_id, "")),
            )
            for pair_id, pair in material.pairs.items()
        }
        placed = sorted((self.place("donor", pair_id), pair_id) for pair_id in donors)
        self.donors = [donors[pair_id] for _, pair_id in placed]

    def place(self, *parts: str | int) -> int:
        """Return the place that the seed and a name have on the circle."""
        return int(sha256_hex(canonical_json([self.seed, NAME, *parts]))[:16], 16)

    def place_of(self, donor: int, pair: QAPair) -> int:
        """Return the place that a donor has among those of a pair."""
        return self.place(pair.qa_pair_id, self.donors[donor].pair.qa_pair_id)

    def keep_pairs_and_names(self) -> None:
        """Drop what only searches read of the donors; the figures are in the answers."""
        self.donors = [
            replace(donor, evidence=replace(donor.evidence, figures=()), years=(), terms=())
            for donor in self.donors
        ]


class _Draw:
    """The donors by company, by term and by place on the circle.

    A pair draws donors at places on the circle given by hashes of the seed, the pair and the
    attempt. So a draw depends on no order and looks at few donors.
    """

    def __init__(self, ring: _Ring) -> None:
        self._ring = ring
        self._places = array("Q")
        self._of_company: dict[str, array[int]] = {}
        self._of_term: dict[str, array[int]] = {}
        for number, donor in enumerate(ring.donors):
            self._places.append(ring.place("donor", donor.pair.qa_pair_id))
            for key in {donor.filing.cik, donor.filing.company} - {None, ""}:
                self._of_company.setdefault(str(key), array("I")).append(number)
            for term in set(content_terms(donor.pair.query)):
                self._of_term.setdefault(intern(term), array("I")).append(number)

    def donors_for(self, pair: QAPair, filing: _Filing) -> Collection[int]:
        """Draw donors of the company's other filings, then with like queries, then by chance."""
        ring = self._ring
        own: dict[int, float] = {
            donor: -ring.place_of(donor, pair)
            for key in (filing.cik, filing.company)
            for donor in self._of_company.get(key or "", ())
        }
        like: dict[int, float] = {}
        terms = set(content_terms(pair.query)) & self._of_term.keys()
        for term in sorted(terms, key=lambda term: (len(self._of_term[term]), term)):
            if len(like) >= MOST_LIKE:
                break  # commoner terms add little to the weights
            donors = self._of_term[term]
            for donor in donors:
                like[donor] = like.get(donor, 0) + 1 / len(donors)
        drawn: dict[int, None] = {}
        for weights in (own, like):
            free = [donor for donor in weights if self._may_lend(pair, filing, donor)]
            free.sort(key=lambda donor: (-weights[donor], ring.donors[donor].pair.qa_pair_id))
            drawn |= dict.fromkeys(free[:MOST_DONORS])
        n_donors = len(ring.donors)
        for attempt in range(MOST_DONORS):
            start = bisect_left(self._places, ring.place("case", pair.qa_pair_id, attempt))
            turned = ((start + i) % n_donors for i in range(n_donors))
            found = next(
                (
                    donor
                    for donor in turned
                    if donor not in drawn and self._may_lend(pair, filing, donor)
                ),
                None,
            )
            if found is None:
                break
            drawn[found] = None
        return drawn

    def _may_lend(self, pair: QAPair, filing: _Filing, number: int) -> bool:
        donor = self._ring.donors[number]
        return donor.filing.filing_id != filing.filing_id and donor.pair.query != pair.query


def _slim(evidence: Evidence) -> Evidence:
    """Drop figures' texts and places, and share equal names: all pairs' are in memory at once."""
    return Evidence(
        figures=tuple(
            replace(figure, text="", start_char=0, end_char=0) for figure in evidence.figures
        ),
        names=tuple(map(intern, evidence.names)),
    )


def _asked(query: str, company: str) -> tuple[str, ...]:
    for start, end in reversed(company_mentions(query, company)):
        query = f"{query[:start]} {query[end:]}"
    return tuple(map(intern, sorted(set(content_terms(query)) - _FRAME)))


@lru_cache(maxsize=4)
def _facts(text: str) -> Facts:
    return Facts.of(text)


def _evidence(donor: _Donor, filing: _Filing) -> Evidence:
    """Find what must be absent from a filing's context: figures, names, and the company's name.

    A company's own name stands in every one of its reports, and names of its parts in many, so
    there they say nothing beside figures.
    """
    evidence, company = donor.evidence, donor.filing.company
    if not donor.filing.is_of(filing):
        names = (*evidence.names, *([company] if evidence and company else []))
    elif evidence.figures:
        names = ()
    else:
        own = {*company.split(), *filing.company.split()}
        names = tuple(name for name in evidence.names if not own.issuperset(name.split()))
    return replace(evidence, names=names)


def _kind(donor: _Donor, filing: _Filing, text: str) -> str | None:
    """Tell how near a query is to a document; None if a rule cannot prove its answer absent."""
    is_own = donor.filing.is_of(filing)
    evidence = _evidence(donor, filing)
    if not evidence or _facts(text).found(evidence, set(donor.terms)):
        return None
    # Of a later year than the report's own, or of one that the document never mentions.
    is_of_other_year = bool(donor.years) and all(
        (filing.fiscal_year is not None and int(year) > filing.fiscal_year) or year not in text
        for year in donor.years
    )
    if is_own:
        return OTHER_YEAR if is_of_other_year else None
    company = set(donor.filing.company.split())
    query, names_other = donor.pair.query, False
    for name in names_in(query):
        if company & set(core_name(name).split()):
            query, names_other = query.replace(name, " "), True
    if donor.pair.task == "tg" and not names_other:
        return None  # a text on a subject can be made from any report, if it is of no company
    is_other = is_of_other_year or names_other
    speaks = evidence.figures and is_other and _speaks_of(text, content_terms(query))
    return SAME_MEASURE if speaks else UNRELATED


def _speaks_of(text: str, terms: Iterable[str]) -> bool:
    """Check whether a passage with a figure has most of a measure's words close together."""
    index = index_of(text)
    weights = {term: index.weight(term) for term in terms if term not in _FRAME}
    if len(weights) < _FEWEST_TERMS:
        return False
    enough, width = _SPEAKS_OF * sum(weights.values()), len(weights) + 2
    if sum(weight for term, weight in weights.items() if index.knows(term)) < enough:
        return False
    for hit in index.rank(list(weights)):
        row = hit.passage.row
        if hit.coverage >= _SPEAKS_OF and hit.passage.figures:
            said = content_terms(row.label if row else hit.passage.text)
            for start in range(max(1, len(said) - width + 1)):
                near = weights.keys() & said[start : start + width]
                if sum(weights[term] for term in near) >= enough:
                    return True
    return False


def _deal(searches: Iterable[_Search], ring: _Ring, uses: _Uses, hard_wanted: int) -> None:
    """Deal each search one of its offers, and count the uses; who has none left gets none.

    First so many searches as are wanted get hard queries. Then the others get theirs, those with
    the fewest donors first.
    """
    open_ = sorted(
        (search for search in searches if search.left and search.questions < MOST_QUESTIONS),
        key=lambda search: (len(search.left), ring.place("deal", search.pair.qa_pair_id)),
    )

    def is_spent(search: _Search, donor: int) -> tuple[bool, bool]:
        """Check whether the context has the query already, and whether others have it enough."""
        return uses.has(search.pair.context_id, donor), uses.of(donor) >= MOST_USES

    def give(search: _Search, offers: Iterable[int]) -> None:
        search.dealt = min(
            offers,
            key=lambda offer: (
                *is_spent(search, _donor_of(offer)),
                _kind_of(offer) != UNRELATED,
                uses.of(_donor_of(offer)),
                ring.place_of(_donor_of(offer), search.pair),
            ),
        )
        search.left.remove(search.dealt)
        uses.add(search.pair.context_id, _donor_of(search.dealt))

    for search in sorted(open_, key=lambda search: ring.place("hard", search.pair.qa_pair_id)):
        hard = [
            offer
            for offer in search.left
            if _kind_of(offer) != UNRELATED and not any(is_spent(search, _donor_of(offer)))
        ]
        if hard and hard_wanted > 0:
            give(search, hard)
            hard_wanted -= 1
    for search in open_:
        if search.dealt == _NONE:
            give(search, search.left)


def _lent(search: _Search, ring: _Ring, reply: Reply[bool], suite: str) -> Case:
    donor = ring.donors[_donor_of(search.dealt)]
    whole = replace(donor.evidence, figures=evidence_of(donor.pair).figures)
    evidence = _evidence(replace(donor, evidence=whole), ring.filings[search.pair.context_id])
    return varied(
        case_of(search.pair, suite),
        NAME,
        query=donor.pair.query,
        target=donor.pair.answer,
        is_answerable=False,
        traits={TRAIT: _kind_of(search.dealt)},
        details=canonical_json(
            {
                "donor_qa_pair_id": donor.pair.qa_pair_id,
                "donor_filing_id": donor.filing.filing_id,
                "absent": {
                    "figures": [figure.text for figure in evidence.figures],
                    "names": evidence.names,
                },
                "model_check": {
                    "request_id": reply.request.request_id,
                    "verdict": "not answerable",
                },
                "donors_looked_at": search.seen,
            }
        ),
    )


def _reject(search: _Search, suite: str) -> Reject:
    if search.seen:
        reason = "no query from another filing is out of scope here"
        detail = (
            f"{search.seen} looked at: the context holds figures or names of {search.held} "
            f"(or they have none), answers {search.answerable}, {search.unreadable} checks could "
            "not be read"
        )
    else:
        reason, detail = "no other filing to borrow a query from", f"pair {search.pair.qa_pair_id}"
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
