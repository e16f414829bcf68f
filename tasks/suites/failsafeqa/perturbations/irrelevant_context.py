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
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, groupby, islice

from tasks.core.ids import canonical_json, sha256_hex
from tasks.core.rows import Case, Context, QAPair, Reject, Sampling
from tasks.inference.client import ask
from tasks.inference.operation import Operation, Question, Reply
from tasks.inference.replies import read_option
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
    """One case's search for a donor, and the results so far.

    A release has one for each pair in memory at once, so donors are numbers.
    """

    case: Case
    left: dict[str, array[int]] = field(default_factory=dict)  # kind of query -> donors
    seen: int = 0
    questions: int = 0
    held: int = 0  # donors without evidence, or with evidence that the context holds
    answerable: int = 0
    unreadable: int = 0

    @property
    def n_left(self) -> int:
        """How many donors are left."""
        return sum(map(len, self.left.values()))

    def offers(self) -> Iterator[tuple[str, int]]:
        """Iterate over the donors that are left, with the kinds of their queries."""
        return ((kind, donor) for kind, donors in self.left.items() for donor in donors)


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Give each case a query that its context does not answer, or reject it if there is none.

    A case's donor depends on all pairs of the release. So all of them are dealt donors, whichever
    cases are wanted.
    """
    wanted, suite = set(), ""
    for case in cases:
        wanted.add(case.qa_pair_id)
        suite = case.suite
    if not wanted:
        return
    ring = _Ring(material)
    # Neighbours share a context: its facts are read once, and their prompts share a prefix.
    pairs = sorted(material.pairs.values(), key=lambda pair: (pair.context_id, pair.qa_pair_id))
    searches = [ring.search(case_of(pair, suite), material) for pair in pairs]
    uses: Counter[tuple[int, str]] = Counter()
    hard_wanted = -(-len(pairs) // HARD_ONE_IN)
    while searches:
        dealt = _deal(searches, ring, uses, hard_wanted)
        asking: list[tuple[_Search, int, str]] = []
        for search in searches:
            if given := dealt.get(search.case.qa_pair_id):
                kind, donor = given
                search.left[kind].remove(donor)
                asking.append((search, donor, kind))
            elif search.case.qa_pair_id in wanted:
                yield _reject(search)
        searches = []
        for (search, donor, kind), reply in _replies(asking, ring, material):
            search.questions += 1
            if reply.value is False:
                hard_wanted -= kind != UNRELATED
                if search.case.qa_pair_id in wanted:
                    yield _lent(search, ring, donor, kind, reply)
                continue
            uses.subtract(_uses_of(search, donor))
            search.answerable += reply.value is True
            search.unreadable += reply.value is None
            searches.append(search)


def _replies(
    asking: Sequence[tuple[_Search, int, str]], ring: _Ring, material: Material
) -> Iterator[tuple[tuple[_Search, int, str], Reply[bool]]]:
    """Ask whether contexts answer queries; the texts of a part are in memory at once."""
    by_context = groupby(asking, key=lambda each: each[0].case.context_id or "")
    while some := list(
        chain.from_iterable([*same] for _, same in islice(by_context, CONTEXTS_OF_A_PART))
    ):
        questions = []
        for search, donor, _ in some:
            text = material.contexts[search.case.context_id or ""].text
            inputs = ScopeInputs(context=text, query=ring.donors[donor].pair.query)
            questions.append(Question(search.case.case_id, inputs, search.case.case_id))
        yield from zip(some, ask(material.engine, OPERATION, questions), strict=True)


class _Ring:
    """All pairs on a circle, at places given by hashes.

    A case draws donors at places on the circle given by hashes of the seed, its pair and the
    attempt. So a draw depends on no order and looks at few donors.
    """

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
                evidence_of(pair, material.contexts[pair.context_id].text),
                self.filings[pair.context_id],
                tuple(sorted(years_in(pair.query))),
                tuple(sorted(_asked(pair.query, material.company_names.get(pair.context_id, "")))),
            )
            for pair_id, pair in material.pairs.items()
        }
        placed = sorted((self.place("donor", pair_id), pair_id) for pair_id in donors)
        self._places = [place for place, _ in placed]
        self.donors = [donors[pair_id] for _, pair_id in placed]
        self._of_company: dict[str, array[int]] = {}
        self._of_term: dict[str, array[int]] = {}
        for number, donor in enumerate(self.donors):
            for key in {donor.filing.cik, donor.filing.company} - {None, ""}:
                self._of_company.setdefault(str(key), array("I")).append(number)
            for term in set(content_terms(donor.pair.query)):
                self._of_term.setdefault(term, array("I")).append(number)

    def place(self, *parts: str | int) -> int:
        """Return the place that the seed and a name have on the circle."""
        return int(sha256_hex(canonical_json([self.seed, NAME, *parts]))[:16], 16)

    def place_of(self, donor: int, case: Case) -> int:
        """Return the place that a donor has among those of a case."""
        return self.place(case.qa_pair_id, self.donors[donor].pair.qa_pair_id)

    def search(self, case: Case, material: Material) -> _Search:
        """Look for donors whose answers are absent from a case's context by rule."""
        search = _Search(case)
        filing = self.filings[case.context_id or ""]
        text = material.contexts[case.context_id or ""].text
        for donor in self._drawn(case, filing):
            search.seen += 1
            if kind := _kind(self.donors[donor], filing, text):
                search.left.setdefault(kind, array("I")).append(donor)
            else:
                search.held += 1
        return search

    def _drawn(self, case: Case, filing: _Filing) -> Iterable[int]:
        """Draw donors of the company's other filings, then with like queries, then by chance."""
        own: dict[int, float] = {
            donor: -self.place_of(donor, case)
            for key in (filing.cik, filing.company)
            for donor in self._of_company.get(key or "", ())
        }
        like: dict[int, float] = {}
        terms = set(content_terms(case.query)) & self._of_term.keys()
        for term in sorted(terms, key=lambda term: (len(self._of_term[term]), term)):
            if len(like) >= MOST_LIKE:
                break  # commoner terms add little to the weights
            donors = self._of_term[term]
            for donor in donors:
                like[donor] = like.get(donor, 0) + 1 / len(donors)
        drawn: dict[int, None] = {}
        for weights in (own, like):
            free = [donor for donor in weights if self._may_lend(case, filing, donor)]
            free.sort(key=lambda donor: (-weights[donor], self.donors[donor].pair.qa_pair_id))
            drawn |= dict.fromkeys(free[:MOST_DONORS])
        n_donors = len(self.donors)
        for attempt in range(MOST_DONORS):
            start = bisect_left(self._places, self.place("case", case.qa_pair_id, attempt))
            turned = ((start + i) % n_donors for i in range(n_donors))
            found = next(
                (
                    donor
                    for donor in turned
                    if donor not in drawn and self._may_lend(case, filing, donor)
                ),
                None,
            )
            if found is None:
                break
            drawn[found] = None
        return drawn

    def _may_lend(self, case: Case, filing: _Filing, number: int) -> bool:
        donor = self.donors[number]
        return donor.filing.filing_id != filing.filing_id and donor.pair.query != case.query


def _asked(query: str, company: str) -> frozenset[str]:
    for start, end in reversed(company_mentions(query, company)):
        query = f"{query[:start]} {query[end:]}"
    return frozenset(content_terms(query)) - _FRAME


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


def _deal(
    searches: Iterable[_Search], ring: _Ring, uses: Counter[tuple[int, str]], hard_wanted: int
) -> dict[str, tuple[str, int]]:
    """Deal each search one of its donors, and count the uses; who has none left gets none.

    First so many searches as are wanted get hard queries. Then the others get theirs, those with
    the fewest donors first. Returns the kind of the query and the donor, by qa_pair_id.
    """
    open_ = sorted(
        (search for search in searches if search.n_left and search.questions < MOST_QUESTIONS),
        key=lambda search: (search.n_left, ring.place("deal", search.case.qa_pair_id)),
    )
    dealt: dict[str, tuple[str, int]] = {}

    def is_spent(search: _Search, donor: int) -> tuple[bool, bool]:
        """Check whether the context has the query already, and whether others have it enough."""
        any_use, of_context = _uses_of(search, donor)
        return uses[of_context] > 0, uses[any_use] >= MOST_USES

    def give(search: _Search, offers: Iterable[tuple[str, int]]) -> None:
        kind, donor = min(
            offers,
            key=lambda offer: (
                *is_spent(search, offer[1]),
                offer[0] != UNRELATED,
                uses[offer[1], ""],
                ring.place_of(offer[1], search.case),
            ),
        )
        uses.update(_uses_of(search, donor))
        dealt[search.case.qa_pair_id] = kind, donor

    for search in sorted(open_, key=lambda search: ring.place("hard", search.case.qa_pair_id)):
        hard = [
            (kind, donor)
            for kind, donor in search.offers()
            if kind != UNRELATED and not any(is_spent(search, donor))
        ]
        if hard and len(dealt) < hard_wanted:
            give(search, hard)
    for search in open_:
        if search.case.qa_pair_id not in dealt:
            give(search, search.offers())
    return dealt


def _uses_of(search: _Search, donor: int) -> list[tuple[int, str]]:
    """Return what a use of a donor counts for: the donor, and the donor on this context."""
    return [(donor, ""), (donor, search.case.context_id or "")]


def _lent(search: _Search, ring: _Ring, number: int, kind: str, reply: Reply[bool]) -> Case:
    donor = ring.donors[number]
    evidence = _evidence(donor, ring.filings[search.case.context_id or ""])
    return varied(
        search.case,
        NAME,
        query=donor.pair.query,
        target=donor.pair.answer,
        is_answerable=False,
        traits={TRAIT: kind},
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


def _reject(search: _Search) -> Reject:
    if search.seen:
        reason = "no query from another filing is out of scope here"
        detail = (
            f"{search.seen} looked at: the context holds figures or names of {search.held} "
            f"(or they have none), answers {search.answerable}, {search.unreadable} checks could "
            "not be read"
        )
    else:
        reason, detail = "no other filing to borrow a query from", f"pair {search.case.qa_pair_id}"
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
