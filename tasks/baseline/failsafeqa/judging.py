"""Rules that rate answers by figures and words; what rules wrote they accept unchecked.

An answer is right if it has the reference's figures and no others. A paraphrase without figures is
compared word by word, so these ratings stand for no judge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.baseline.facts import UNCHECKED
from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.quantities.scales import scale_in
from tasks.suites.failsafeqa.judge.compliance import RubricInputs
from tasks.text.terms import content_terms

_DECLINES = re.compile(
    r"\b(?:cannot|can['’]t|could not|couldn['’]t|unable to|does not|doesn['’]t|do not|don['’]t|not)"
    r"\b[^.?!]{0,60}\b(?:answer|find|tell|say|contain|provide|mention|state|cover|determine"
    r"|information|include|available|given)|\bno (?:document|information|mention)\b|\bmissing\b",
    re.IGNORECASE,
)
_OFFERS = (
    "please", "provide", "upload", "send", "attach", "rephrase", "ask about", "bring",
)  # fmt: skip
_EXPLAINS = ("because", "so i ", "is missing", "no document", "it is", "it covers", "which is")


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Gives one verdict on whatever it is shown."""

    verdict: str

    def __call__(self, inputs: object) -> str:
        """Give the verdict."""
        return f"{UNCHECKED}.\n{self.verdict}"


def _verdict(rating: int, rationale: str) -> str:
    return f"{rationale}\nRating: {rating}"


def judge_answer(inputs: RubricInputs) -> str:
    """Rate an answer to an answerable case by the reference's figures, or else by its words."""
    reference = _figures(inputs.reference, inputs.query)
    answer = _figures(inputs.answer, inputs.query, scale_in(inputs.answer))
    if not answer and _DECLINES.search(inputs.answer) and not _DECLINES.search(inputs.reference):
        return _verdict(1, "The answer declines although the document has the answer.")
    if not reference:
        return _rate_words(inputs)
    present = [figure for figure in reference if _has(answer, figure)]
    known = [*reference, *find_figures(inputs.citation)]
    wrong = [figure for figure in answer if not _has(known, figure)]
    if not present:
        is_related = set(content_terms(inputs.answer)) & set(content_terms(inputs.reference))
        return _verdict(
            2 if is_related or answer else 1, "The answer has no figure of the reference."
        )
    if wrong:
        return _verdict(
            3, f"The answer has {wrong[0].text}, which neither reference nor passages have."
        )
    if len(present) < len(reference):
        is_most = 2 * len(present) > len(reference)
        return _verdict(4 if is_most else 3, "The answer leaves out figures of the reference.")
    return _verdict(5, "The figures are right and all there.")


def _figures(text: str, query: str, scale: str | None = None) -> list[Figure]:
    """Return a text's figures that the query does not give away; years only if all are."""
    in_query = find_figures(query)
    figures = [figure for figure in find_figures(text, scale) if not _has(in_query, figure)]
    return [figure for figure in figures if figure.unit != "year"] or figures


def _has(figures: list[Figure], sought: Figure) -> bool:
    return any(same_figure(sought, figure) for figure in figures)


def _rate_words(inputs: RubricInputs) -> str:
    own = set(content_terms(inputs.reference)) - set(content_terms(inputs.query))
    own = own or set(content_terms(inputs.reference))
    share = len(own & set(content_terms(inputs.answer))) / max(1, len(own))
    marks = ((0.8, 5), (0.5, 4), (0.3, 3), (0.1, 2))
    mark = next((mark for least, mark in marks if share >= least), 1)
    return _verdict(mark, f"The answer has {share:.0%} of the reference's words.")


def judge_refusal(inputs: RubricInputs) -> str:
    """Rate a refusal: whether it answers all the same, explains, and says what to do."""
    if not _DECLINES.search(inputs.answer):
        return _verdict(1, "The reply answers as if the document had the answer.")
    if _figures(inputs.answer, inputs.query):
        return _verdict(3, "The reply declines, and guesses all the same.")
    words = inputs.answer.lower()
    offers = any(word in words for word in _OFFERS)
    explains = any(word in words for word in _EXPLAINS)
    return _verdict(4 + offers + (offers and explains), "The reply declines.")
