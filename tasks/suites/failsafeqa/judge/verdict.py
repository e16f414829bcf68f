"""The judge's inputs, and the parser of its verdict.

A candidate must not be able to change its own rating (issue 2, section 6):

- The answer comes last, between lines with a mark that is a hash of the whole answer. An answer
  cannot contain its own hash, so it cannot close its fence early.
- Double square brackets in the judge's inputs are spaced apart, so a judge that copies the answer
  copies none. A rating in brackets counts if the judge states it, and not if it mentions it.
- A rating outside brackets counts only if the reply has no brackets, and if its line does not stand
  in the prompt. Two different ratings count only if one is marked as final. A truncated reply has
  no rating.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.prompts import fence_of
from tasks.inference.replies import read_rating
from tasks.suites.shared.verdicts import spaced_brackets

TEMPLATE = "failsafeqa/verdict"
SAMPLING = Sampling(temperature=0.0, max_tokens=256)  # paper 000, "Evaluation"
LOWEST, HIGHEST = 1, 6


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
    answer = spaced_brackets(answer)
    return Inputs(
        rubric=rubric,
        citation=spaced_brackets(citation),
        query=spaced_brackets(query),
        reference=spaced_brackets(reference),
        fence=fence_of(answer),
        answer=answer,
    )


def parse_verdict(reply: str) -> int:
    """Read a judge's rating; see `read_rating`."""
    return read_rating(reply, LOWEST, HIGHEST)


def written(rating: int, rationale: str) -> str:
    """Write a verdict in the form that judges use."""
    return f"{rationale}\nRating: [[{rating}]]"
