"""The judge's inputs, and the parser of its verdict.

A candidate must not be able to change its own rating (issue 2, section 6):

- The answer comes last, between lines with a mark that is a hash of the whole answer. An answer
  cannot contain its own hash, so it cannot close its fence early.
- Double square brackets in the judge's inputs are spaced apart, and a key of a verdict in JSON gets
  an underscore. So a judge that copies the answer copies no verdict.
- Two different ratings count only if one is marked as final. A truncated reply has no rating.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.prompts import fence_of
from tasks.inference.replies import RATING_LABELS, read_rating
from tasks.suites.shared.verdicts import spaced_brackets

TEMPLATE = "failsafeqa/verdict"
SAMPLING = Sampling(temperature=0.0, max_tokens=256)  # paper 000, "Evaluation"
LOWEST, HIGHEST = 1, 6
_KEY = re.compile(rf"[\"'](?:{RATING_LABELS})(?=[\"']\s*:)", re.IGNORECASE)


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
    answer = _harmless(answer)
    return Inputs(
        rubric=rubric,
        citation=_harmless(citation),
        query=_harmless(query),
        reference=_harmless(reference),
        fence=fence_of(answer),
        answer=answer,
    )


def _harmless(text: str) -> str:
    return _KEY.sub(r"\g<0>_", spaced_brackets(text))


def parse_verdict(reply: str) -> int:
    """Read a judge's rating; see `read_rating`."""
    return read_rating(reply, LOWEST, HIGHEST)


def written(rating: int, rationale: str) -> str:
    """Write a verdict as plain text, for rules."""
    return f"{rationale}\nRating: [[{rating}]]"
