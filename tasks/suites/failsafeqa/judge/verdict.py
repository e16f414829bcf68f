"""The judge's inputs, and the parser of its verdict.

A candidate must not be able to change its own rating (issue 2, section 6):

- The answer comes last, between lines with a mark that is a hash of the whole answer. An answer
  cannot contain its own hash, so it cannot close its fence early.
- Double square brackets in the judge's inputs are spaced apart. A judge that quotes the answer
  therefore never writes a rating other than its own.
- The last `[[n]]` of the reply counts. A truncated reply has no rating.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import ParseError
from tasks.inference.prompts import fence_of

TEMPLATE = "failsafeqa/verdict"
SAMPLING = Sampling(temperature=0.0, max_tokens=256)  # paper 000, "Evaluation"
LOWEST, HIGHEST = 1, 6

NO_RATING = "the verdict has no rating"
NOT_A_WHOLE_NUMBER = "the verdict's last rating is not a whole number"
OUT_OF_RANGE = f"the verdict's last rating is not between {LOWEST} and {HIGHEST}"

_RATING = re.compile(r"\[\[([^\[\]]*)\]\]")
_LABEL = re.compile(r"[\s*_#>-]*\b(?:rating|score|verdict)[\s*_]*:?[\s*_]*\Z", re.IGNORECASE)
_OPENING = re.compile(r"\[(?=\[)")
_CLOSING = re.compile(r"\](?=\])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The judge's inputs; all answers to a question share all but fence and answer."""

    rubric: str
    citation: str
    query: str
    reference: str
    fence: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One rating from 1 to 6, with the judge's rationale."""

    rating: int
    rationale: str


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


def spaced_brackets(text: str) -> str:
    """Separate adjacent square brackets: `[[6]]` -> `[ [6] ]`."""
    return _CLOSING.sub("] ", _OPENING.sub("[ ", text))


def parse_verdict(text: str) -> Verdict:
    """Read the last `[[n]]` of a judge's reply; the rest is its rationale.

    Raises:
        ParseError: the reply has no rating, or one that is not a whole number from 1 to 6.
    """
    found = list(_RATING.finditer(text))
    if not found:
        raise ParseError(NO_RATING)
    last = found[-1]
    digits = last[1].strip()
    if not re.fullmatch(r"-?[0-9]{1,9}", digits):
        raise ParseError(NOT_A_WHOLE_NUMBER)
    rating = int(digits)
    if not LOWEST <= rating <= HIGHEST:
        raise ParseError(OUT_OF_RANGE)
    before = _LABEL.sub("", text[: last.start()].rstrip(" *_")).strip()
    after = text[last.end() :].strip().lstrip(".*_").strip()
    return Verdict(rating=rating, rationale="\n".join(part for part in (before, after) if part))


def written(rating: int, rationale: str) -> str:
    """Write a verdict in the form that judges use."""
    return f"{rationale}\nRating: [[{rating}]]"
