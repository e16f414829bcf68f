"""The rule that checks whether citations support an answer."""

from __future__ import annotations

import re

from tasks.baseline.failsafeqa.evidence import (
    said_terms,
    stated_figures,
    without_figures,
    without_markup,
)
from tasks.quantities.figures import find_figures
from tasks.suites.failsafeqa.citations.support import Inputs
from tasks.text.terms import content_terms

# Tokens with digits that are no figures: days, numbers of rules and forms, models. Labels of list
# entries are excluded.
_CODE = re.compile(r"(?<![\w.,-])(?!\d{1,2}[.)](?:\s|\Z))[\w-]*\d[\w-]*")
# Share of the answer's terms that the citations must hold; `went from` and `amounted to` are
# often the answer's own words.
_LEAST_COVERAGE = 0.6
_LEAST_COVERAGE_WITH_FIGURES = 0.5


def reply(inputs: Inputs) -> str:
    """Say yes if the citations hold the answer's figures, codes and most terms."""
    answer = without_markup(inputs.answer)
    figures, stated = find_figures(answer), stated_figures(inputs.citations)
    missing = [
        figure.text for figure in figures if not any(other.proves(figure) for other in stated)
    ]
    known = set(_CODE.findall(inputs.citations))
    missing += [
        code for code in _CODE.findall(without_figures(answer, figures)) if code not in known
    ]
    if missing:
        return f"The excerpts do not state {', '.join(missing)}.\nVerdict: no"
    terms = said_terms(answer)
    held = set(content_terms(inputs.citations))
    share = sum(term in held for term in terms) / len(terms) if terms else 1.0
    least = _LEAST_COVERAGE_WITH_FIGURES if figures else _LEAST_COVERAGE
    verdict = "yes" if share >= least and (terms or figures) else "no"
    held_in = f"The excerpts hold every figure and {share:.0%} of the terms of the answer."
    return f"{held_in}\nVerdict: {verdict}"
