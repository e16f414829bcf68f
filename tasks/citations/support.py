"""Do these citations support this answer to this question?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.citations.evidence import states_figure
from tasks.operations import Operation, ParseError
from tasks.schemas import Sampling
from tasks.text.figures import Figure, find_figures
from tasks.text.terms import content_terms

_VERDICT = re.compile(r"\[\[\s*(yes|no)\s*\]\]", re.IGNORECASE)
# What has digits and is no figure: days, numbers of rules and forms, models. Labels of a list's entries are not meant.
_CODE = re.compile(r"(?<![\w.,])(?!\d{1,2}[.)](?:\s|\Z))[\w-]*\d[\w-]*")
_LEAST_COVERAGE = 0.6  # of the answer's terms that the citations hold


@dataclass(frozen=True, slots=True)
class Inputs:
    """What is checked."""

    citations: str  # `Sanitised.citation_text`
    query: str
    answer: str


def read_verdict(reply: str) -> bool:
    """The last [[yes]] or [[no]] of a reply.

    Raises:
        ParseError: there is none.
    """
    verdicts = _VERDICT.findall(reply)
    if not verdicts:
        raise ParseError("the reply has neither [[yes]] nor [[no]]")
    return verdicts[-1].lower() == "yes"


def check_by_rule(inputs: Inputs) -> str:
    """Yes where the citations hold every figure and code of the answer and most of its terms."""
    figures, stated = find_figures(inputs.answer), find_figures(inputs.citations)
    missing = [figure.text for figure in figures if not _is_stated(figure, stated)]
    known = set(_CODE.findall(inputs.citations))
    missing += [code for code in _CODE.findall(_without(figures, inputs.answer)) if code not in known]
    if missing:
        return f"The excerpts do not state {', '.join(missing)}. [[no]]"
    asked = set(content_terms(inputs.query))
    terms = list(dict.fromkeys(content_terms(inputs.answer)))
    # what only repeats the question proves little, so it counts only where the answer says nothing more
    said = [term for term in terms if term not in asked] or terms
    held = set(content_terms(inputs.citations))
    share = sum(term in held for term in said) / len(said) if said else 1.0
    verdict = "yes" if share >= _LEAST_COVERAGE and (said or stated) else "no"
    return f"The excerpts hold every figure and {share:.0%} of the terms of the answer. [[{verdict}]]"


def _without(figures: list[Figure], text: str) -> str:
    """The text with its figures blanked out."""
    for figure in figures:
        blank = " " * (figure.end_char - figure.start_char)
        text = text[: figure.start_char] + blank + text[figure.end_char :]
    return text


def _is_stated(figure: Figure, stated: list[Figure]) -> bool:
    return any(states_figure(figure, other) for other in stated)


OPERATION = Operation(
    name="check_support",
    template="citations/support",
    inputs=Inputs,
    parse=read_verdict,
    rule=check_by_rule,
    sampling=Sampling(temperature=0.0, max_tokens=256),
)
