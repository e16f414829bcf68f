"""Do these citations support this answer to this question?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.core.rows import Sampling
from tasks.inference.operation import Operation, ParseError
from tasks.quantities.figures import find_figures
from tasks.suites.failsafeqa.rules.evidence import said_terms, stated_figures, without_figures, without_markup
from tasks.text.terms import content_terms

_VERDICT = re.compile(r"\[\[\s*(yes|no)\s*\]\]", re.IGNORECASE)
# What has digits and is no figure: days, numbers of rules and forms, models. Labels of a list's entries are not meant.
_CODE = re.compile(r"(?<![\w.,-])(?!\d{1,2}[.)](?:\s|\Z))[\w-]*\d[\w-]*")
# Of the answer's terms that the citations hold; `went from` and `amounted to` are often the answer's own.
_LEAST_COVERAGE = 0.6
_LEAST_COVERAGE_WITH_FIGURES = 0.5


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
    answer = without_markup(inputs.answer)
    figures, stated = find_figures(answer), stated_figures(inputs.citations)
    missing = [figure.text for figure in figures if not any(other.proves(figure) for other in stated)]
    known = set(_CODE.findall(inputs.citations))
    missing += [code for code in _CODE.findall(without_figures(answer, figures)) if code not in known]
    if missing:
        return f"The excerpts do not state {', '.join(missing)}. [[no]]"
    terms = said_terms(answer)
    held = set(content_terms(inputs.citations))
    share = sum(term in held for term in terms) / len(terms) if terms else 1.0
    least = _LEAST_COVERAGE_WITH_FIGURES if figures else _LEAST_COVERAGE
    verdict = "yes" if share >= least and (terms or figures) else "no"
    return f"The excerpts hold every figure and {share:.0%} of the terms of the answer. [[{verdict}]]"


OPERATION = Operation(
    name="check_support",
    template="failsafeqa/support",
    inputs=Inputs,
    parse=read_verdict,
    rule=check_by_rule,
    sampling=Sampling(temperature=0.0, max_tokens=256),
)
