"""The judge's inputs, its schema, and how its rating is read."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.schemas import REASON, closed, one_of
from tasks.suites import judge

TEMPLATE = "failsafeqa/verdict"
SAMPLING = Sampling(temperature=0.0, max_tokens=256)  # paper 000, "Evaluation"
LOWEST, HIGHEST = 1, 6
SCHEMA = closed(reason=REASON, rating=one_of(*range(LOWEST, HIGHEST + 1)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The judge's inputs; all answers to a question share all but fence and answer."""

    rubric: str
    citation: str
    query: str
    reference: str
    fence: str
    answer: str


def shown(rubric: str, citation: str, query: str, reference: str, answer: str) -> Inputs:
    """Return a judge's inputs, of which none can fake a verdict or end the answer."""
    texts = {"rubric": rubric, "citation": citation, "query": query, "reference": reference}
    return judge.shown(Inputs, SCHEMA, None, **texts, answer=answer)


def written(rating: int, rationale: str) -> str:
    """Write a verdict as plain text, for rules."""
    return f"{rationale}\nRating: {rating}"
