"""The rule that judges answers by figures, names and content words.

It plays `judge_answerable`. It compares the answer with the reference and the citation: it sees
missing, wrong and added figures and names, and how many of the reference's words the answer has.
It cannot see whether a paraphrase means the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import combinations

from tasks.baseline.failsafeqa.refusal_rule import is_declining, only_declines
from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.quantities.scales import PER_UNIT, scale_in
from tasks.suites.failsafeqa.judge.verdict import Inputs, written
from tasks.text.retrieval import is_one_letter_off
from tasks.text.terms import content_terms, names_in

# A rounded figure states the same only if it is close: "$1 billion" is not $1.4 billion.
_FURTHEST_ROUNDING = Decimal("0.1")
# A figure copied from a table without the table's scale is another figure.
_TABLE_SCALES = (Decimal(1_000), Decimal(1_000_000))
_YEAR_WEIGHT = 0.5  # beside a figure, a year only says which one; alone it is the answer
# Content words from the citation that make an answer richer than its reference.
_LEAST_NEW_TERMS = 6
_FEWEST_TERMS_OF_PROSE = 8  # a reference with this many own words says more than its figures
_LONG_WINDED = 8  # an answer is long-winded at this multiple of the reference's words, and at least
_LONG_WINDED_WORDS = 200

_OPPOSITES = (
    (
        r"\b(?:increas\w+|r[io]s(?:e|es|en|ing)|gr[eo]w\w*|higher|up (?:from|by)|improv\w+"
        r"|expanded)\b",
        r"\b(?:decreas\w+|declin\w+|f[ae]ll(?:en|ing|s)?|lower\w*|down (?:from|by)|drop\w*"
        r"|reduc\w+)\b",
    ),
    (r"\bloss(?:es)?\b", r"\b(?:profits?|net income|net earnings|gains?)\b"),
)
_YES = re.compile(r"\A\W*yes\b", re.IGNORECASE)
_NO = re.compile(r"\A\W*no\b(?!\.\s?\d)", re.IGNORECASE)
# "(in thousands, except per share data)": amounts per share are in ones
_EXCEPTS = re.compile(r"\bexcept\b[^.;)]*\bper\b", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]{1,80}>|[*_#`|]+")


@dataclass(frozen=True, slots=True)
class Comparison:
    """An answer compared with its reference; what the query gives away does not count."""

    present: tuple[Figure, ...]  # figures of the reference that the answer has
    missing: tuple[Figure, ...]  # those that it lacks
    has_first_figure: bool  # the reference's first figure is its main statement
    wrong: tuple[Figure, ...]  # in no reference, query or citation, and not following from those
    added: tuple[Figure, ...]  # figures of the citation that the reference lacks
    n_names: int  # of the reference
    n_names_given: float  # half a name counts half
    missing_names: tuple[str, ...]  # in part or whole
    coverage: float  # share of the reference's own content words; 1.0 if it has none
    n_own_terms: int  # content words of the reference that are not in the query
    relevance: float  # share of the query's and the reference's content words
    n_terms: int
    n_new_terms: int  # content words of the answer that only the citation has
    is_opposed: bool  # yes for no, up for down, or loss for profit

    @property
    def is_only_years(self) -> bool:
        """Whether answer and reference share only years, and the reference has more."""
        return all(figure.unit == "year" for figure in self.present) and any(
            figure.unit != "year" for figure in self.missing
        )

    @property
    def share_of_facts(self) -> float:
        """Share of the reference's figures and names in the answer; years count half."""
        have = sum(_weight(figure) for figure in self.present) + self.n_names_given
        lack = sum(_weight(figure) for figure in self.missing) + self.n_names - self.n_names_given
        return have / (have + lack) if have + lack else 1.0


def rate_answer(inputs: Inputs) -> tuple[int, str]:
    """Rate an answer by the rubric of answerable cases; explain in one sentence."""
    answer = _MARKUP.sub(" ", inputs.answer)
    if not content_terms(answer) and not find_figures(answer):
        return 1, "The answer is empty."
    # The reference itself may say that the filing does not tell.
    if not is_declining(inputs.reference) and only_declines(inputs.answer, inputs.query):
        return 1, "The answer declines although the document has the answer."
    found = compare(answer, inputs.query, inputs.reference, inputs.citation)
    rating, rationale = _by_figures(found) if found.present or found.missing else _by_words(found)
    if rating <= 3:
        return rating, rationale
    if found.wrong:
        return 3, f"The answer has {_listed(found.wrong)}, which the passages do not bear out."
    if found.is_opposed:
        return 3, "The answer says the opposite of the reference on one point."
    # Another year is no added fact: the wrong one is often in the passages.
    adds_facts = any(figure.unit != "year" for figure in found.added)
    stated, meant = _years(answer), _years(inputs.query) | _years(inputs.reference)
    if stated and meant and not stated & meant and not adds_facts:
        return 3, "The answer is about another year."
    n_words = _LONG_WINDED * len(inputs.reference.split())
    if len(answer.split()) > max(_LONG_WINDED_WORDS, n_words):
        return 3, "The answer buries what was asked among much that was not."
    return rating, rationale


def reply(inputs: Inputs) -> str:
    """Rate an answer to an answerable case, as a judge's reply."""
    return written(*rate_answer(inputs))


def compare(answer: str, query: str, reference: str, citation: str) -> Comparison:
    """Compare an answer with its reference."""
    of_query, query_terms = _figures_and_terms(query)
    is_excepted = _EXCEPTS.search(answer) and PER_UNIT.search(query)
    of_answer, answer_terms = _figures_and_terms(answer, None if is_excepted else scale_in(answer))
    of_reference, reference_terms = _figures_and_terms(reference)
    of_citation, citation_terms = _figures_and_terms(citation)
    asked = [figure for figure in _distinct(of_reference) if not _stated(figure, of_query)]
    present = [figure for figure in asked if _stated(figure, of_answer)]
    missing = [figure for figure in asked if figure not in present]
    known = [*of_query, *of_reference, *of_citation]
    others = [
        figure for figure in _distinct(of_answer) if not _stated(figure, [*of_query, *of_reference])
    ]
    added = [
        figure
        for figure in others
        if _stated(figure, of_citation)
        and not any(_same_but_for_scale(figure, other) for other in missing)
    ]
    backed = [figure for figure in of_answer if _stated(figure, known)]
    wrong = [
        figure
        for figure in others
        if figure not in added
        # A year that only the document has does no harm, unless it replaces another.
        and (figure.unit != "year" or any(other.unit == "year" for other in missing))
        and not _follows_from(figure, backed)
    ]

    own_terms = reference_terms - query_terms
    names = [name for name in names_in(reference) if name.lower() not in query.lower()]
    share_of_names = [_share_of_name(answer, answer_terms, name) for name in names]
    return Comparison(
        present=tuple(present),
        missing=tuple(missing),
        has_first_figure=bool(asked) and asked[0] not in missing,
        wrong=tuple(wrong),
        added=tuple(added),
        n_names=len(names),
        n_names_given=sum(share_of_names),
        missing_names=tuple(
            name for name, share in zip(names, share_of_names, strict=True) if share < 1
        ),
        coverage=_share(own_terms, answer_terms),
        n_own_terms=len(own_terms),
        relevance=_share(reference_terms | query_terms, answer_terms),
        n_terms=len(answer_terms),
        n_new_terms=len((answer_terms & citation_terms) - reference_terms - query_terms),
        is_opposed=_is_opposed(answer, reference),
    )


# --- ratings -----------------------------------------------------------------------------


def _by_figures(found: Comparison) -> tuple[int, str]:
    share, lacking = found.share_of_facts, _listed(found.missing)
    if not found.present or found.is_only_years:
        # A bare figure at least addresses the question.
        if found.relevance < 0.15 and found.n_terms > 1:
            return 1, "The answer has nothing to do with the reference."
        if found.coverage >= 0.5 and found.n_own_terms >= _FEWEST_TERMS_OF_PROSE // 2:
            return 3, f"The answer agrees in words but lacks {lacking}."
        if not found.wrong and not found.added and found.coverage < 0.2:
            return 1, f"The answer lacks {lacking} and says little else of the reference."
        return 2, f"The answer lacks {lacking}."
    if found.coverage < 0.25 and found.n_own_terms >= _FEWEST_TERMS_OF_PROSE:
        return 3, "Figures agree, but little of what the reference says of them is there."
    if found.missing:
        if found.wrong:
            why = f"The answer has {_listed(found.wrong)} where the reference has {lacking}."
            return 3 if share >= 0.5 else 2, why
        if share > 0.5 or (found.has_first_figure and found.coverage >= 0.5):
            return 4, f"The answer is right but leaves out {lacking}."
        return 3, f"The answer leaves out much, among it {lacking}."
    if found.missing_names:
        names = ", ".join(found.missing_names[:3])
        return 4, f"The figures are right; the answer leaves out {names}."
    if found.coverage < 0.5 and found.n_own_terms >= 6:
        return 4, "The figures are right; much of what the reference says of them is left out."
    if (found.added and found.n_new_terms >= 2) or found.n_new_terms >= _LEAST_NEW_TERMS:
        return 6, "The figures are right, and the answer adds what the passages bear out."
    return 5, "The figures are right and all there."


def _by_words(found: Comparison) -> tuple[int, str]:
    """Rate an answer to a reference without figures, by names or words."""
    names_are_the_answer = found.n_names > 0 and found.n_own_terms <= 6
    score = min(found.coverage, found.share_of_facts) if names_are_the_answer else found.coverage
    if found.n_own_terms == 0:
        score = found.relevance
    if found.is_opposed and score >= 0.3:
        return 2, "The answer says the opposite of the reference."
    if score >= 0.8 or (names_are_the_answer and score >= 0.75):
        if found.missing_names:
            return 4, f"The answer leaves out {', '.join(found.missing_names[:3])}."
        if (found.added and found.n_new_terms >= 2) or found.n_new_terms >= 2 * _LEAST_NEW_TERMS:
            return 6, "The answer says what the reference says and adds what the passages bear out."
        return 5, "The answer says what the reference says."
    if score >= 0.5:
        return 4, "The answer says most of what the reference says."
    if score >= 0.3:
        return 3, "The answer says some of what the reference says."
    if score >= 0.1 or found.relevance >= 0.3:
        return 2, "The answer says little of what the reference says."
    return 1, "The answer has nothing to do with the reference."


# --- figures -----------------------------------------------------------------------------


def _weight(figure: Figure) -> float:
    return _YEAR_WEIGHT if figure.unit == "year" else 1.0


def _distinct(figures: Iterable[Figure]) -> list[Figure]:
    kept: list[Figure] = []
    for figure in figures:
        if not any(figure.value == other.value and figure.unit == other.unit for other in kept):
            kept.append(figure)
    return kept


def _stated(figure: Figure, others: Iterable[Figure]) -> bool:
    return any(same_figure(figure, other) and _is_near(figure, other) for other in others)


def _is_near(figure: Figure, other: Figure) -> bool:
    """Check that rounding explains the difference; rates count as near."""
    a, b = abs(figure.value), abs(other.value)
    return other.unit in ("percent", "bps") or abs(a - b) <= _FURTHEST_ROUNDING * max(a, b)


def _same_but_for_scale(stated: Figure, reference: Figure) -> bool:
    """Check whether a figure agrees only once a table's scale is applied."""
    if stated.unit not in ("money", "count") or reference.unit not in ("money", "count"):
        return False
    if stated.decimals < 0 or abs(stated.value) < 10:
        return False
    return any(
        abs(abs(stated.value) * scale - abs(reference.value)) * 2
        <= Decimal(1).scaleb(-min(reference.decimals, 0))
        for scale in _TABLE_SCALES
    )


def _follows_from(figure: Figure, backed: Sequence[Figure]) -> bool:
    """Check whether a figure is the difference, sum or relative change of two correct ones."""
    units = ("money", "count", "per_share")
    amounts = [other for other in _distinct(backed) if other.unit in units][:12]
    stated = abs(figure.value) / (100 if figure.unit == "bps" else 1)
    for first, second in combinations(amounts, 2):
        a, b = abs(first.value), abs(second.value)
        if figure.unit in ("percent", "bps"):
            made = [abs(a - b) / base * 100 for base in (a, b) if base]
            decimals = min(figure.decimals, 1)
        else:
            made = [abs(a - b), a + b]
            decimals = min(figure.decimals, first.decimals, second.decimals)
        if any(abs(stated - value) * 2 <= Decimal(1).scaleb(-decimals) for value in made):
            return True
    return False


def _listed(figures: Sequence[Figure]) -> str:
    return ", ".join(" ".join(figure.text.split()) for figure in figures[:3])


# --- words -------------------------------------------------------------------------------


def _share(wanted: Set[str], found: Set[str]) -> float:
    """Compute the share of the wanted terms that were found.

    Terms of five letters or more may differ by one letter, as in a scan.
    """
    if not wanted:
        return 1.0
    exact = wanted & found
    others = [term for term in found - wanted if len(term) >= 5]
    nearly = sum(
        len(term) >= 5 and any(is_one_letter_off(term, other) for other in others)
        for term in wanted - exact
    )
    return (len(exact) + nearly) / len(wanted)


@lru_cache(maxsize=256)  # one citation is read for every answer to its question
def _figures_and_terms(
    text: str, scale: str | None = None
) -> tuple[tuple[Figure, ...], frozenset[str]]:
    """Find a text's figures, and its content words outside them."""
    figures = tuple(find_figures(text, scale))
    for figure in reversed(figures):
        text = f"{text[: figure.start_char]} {text[figure.end_char :]}"
    return figures, frozenset(content_terms(text))


def _share_of_name(answer: str, answer_terms: Set[str], name: str) -> float:
    parts = set(content_terms(name))
    is_whole = name.lower() in answer.lower()
    return 1.0 if is_whole else _share(parts, answer_terms) if parts else 0.0


def _is_opposed(answer: str, reference: str) -> bool:
    if (_YES.search(reference) and _NO.search(answer)) or (
        _NO.search(reference) and _YES.search(answer)
    ):
        return True
    for pair in _OPPOSITES:
        said = [bool(re.search(pattern, answer, re.IGNORECASE)) for pattern in pair]
        meant = [bool(re.search(pattern, reference, re.IGNORECASE)) for pattern in pair]
        if sum(said) == sum(meant) == 1 and said != meant:
            return True
    return False


def _years(text: str) -> set[Decimal]:
    return {figure.value for figure in find_figures(text) if figure.unit == "year"}
