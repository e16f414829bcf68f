"""What a judge is shown, and how its verdict is read.

A candidate must not be able to move its own rating (issue 2, section 6), so:

- the answer stands last, between lines that carry a mark derived from a hash of the answer:
  an answer cannot contain a mark that depends on all of it, hence cannot close itself early;
- double square brackets in what the judge is shown are spaced apart, so that a judge that
  repeats the answer, before or after its own verdict, never writes a rating that is not its own;
- the last `[[n]]` of the reply counts, and a reply that was cut off counts for nothing.
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
    """What a judge sees. Rubric to reference are shared by all answers to a question; fence and answer are not."""

    rubric: str
    citation: str
    query: str
    reference: str
    fence: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One rating, 1 to 6, and what the judge said about it."""

    rating: int
    rationale: str


def shown(rubric: str, citation: str, query: str, reference: str, answer: str) -> Inputs:
    """The inputs of a judge's operation, none of which can pose as a verdict or end the answer."""
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
    """The text with a blank in each run of square brackets: `[[6]]` -> `[ [6] ]`."""
    return _CLOSING.sub("] ", _OPENING.sub("[ ", text))


def parse_rating(text: str) -> tuple[int, str]:
    """The last `[[n]]` of a judge's reply, and the reply without it.

    Raises:
        ParseError: there is none, or it is not a whole number from 1 to 6.
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
    before = _LABEL.sub("", text[: last.start()].rstrip(" *_"))
    after = text[last.end() :].strip().lstrip(".*_").strip()
    return rating, "\n".join(part for part in (before.strip(), after) if part)


def parse_verdict(text: str) -> Verdict:
    """A judge's reply as a verdict.

    Raises:
        ParseError: see `parse_rating`.
    """
    rating, rationale = parse_rating(text)
    return Verdict(rating=rating, rationale=rationale)


def written(rating: int, rationale: str) -> str:
    """A verdict as a judge writes it."""
    return f"{rationale}\nRating: [[{rating}]]"
