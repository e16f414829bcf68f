"""Incomplete queries: a hasty person's words, without what makes a query complete.

From the paper (000, "Incomplete Queries"): "Extract the numbers related to the Nylon Segment's
performance in 2018." becomes "numbers for Nylon Segment, 2018?". Here the company, the period or a
qualifier of the measure must go, and the context must still have one answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tasks.core.rows import Case, Context, Reject
from tasks.quantities.figures import MONTHS
from tasks.suites.failsafeqa.perturbations.figures_kept import figures_of, lost_figures
from tasks.suites.failsafeqa.perturbations.material import Material
from tasks.suites.failsafeqa.perturbations.mentions import company_mentions
from tasks.suites.failsafeqa.perturbations.rewriting import (
    Rewriting,
    fault_of,
    rewrite_cases,
    rewriting_of,
)
from tasks.text.terms import STOP_WORDS, content_terms, stem

NAME = "incomplete"
OPERATION = rewriting_of(NAME)

_PERIOD_WORD = re.compile(
    rf"\b(?:{MONTHS}|Q[1-4]|fiscal|year-end|(?:first|second|third|fourth) quarter)\b"
)
_ADJACENT = re.compile(r"([A-Za-z]{2,}) (?=([A-Za-z]+))")


def dropped_parts(query: str, rewritten: str, company: str) -> list[str]:
    """Tell what a rewriting leaves out: the company, the period, a qualifier of a measure."""
    parts = []
    if company_mentions(query, company) and not company_mentions(rewritten, company):
        parts.append("company")
    lost_years = [figure for figure in lost_figures(query, rewritten) if figure.unit == "year"]
    if lost_years or (not figures_of(query) and _lost(_PERIOD_WORD, query, rewritten)):
        parts.append("period")
    kept = set(content_terms(rewritten))
    of_company = {
        stem(word)
        for start, end in company_mentions(query, company)
        for word in re.findall(r"[A-Za-z]+", query[start:end])
    }
    for word, following in _ADJACENT.findall(query):
        is_said = stem(word) in kept | of_company or word.lower() in STOP_WORDS
        if not is_said and stem(following) in kept and not _PERIOD_WORD.search(word):
            parts.append("qualifier")
            break
    return parts


def _lost(pattern: re.Pattern[str], query: str, rewritten: str) -> bool:
    return bool(pattern.search(query) and not pattern.search(rewritten))


def _fault(query: str, rewritten: str, company: str) -> str | None:
    if fault := fault_of(query, rewritten, len(query), may_lose_years=True):
        return fault
    if not dropped_parts(query, rewritten, company):
        return "the rewriting leaves out neither company, period nor a qualifier of the measure"
    return None


def _labels(query: str, rewritten: str, company: str) -> dict[str, Any]:
    return {"dropped": dropped_parts(query, rewritten, company)}


REWRITING = Rewriting(NAME, OPERATION, _fault, _labels)


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Shorten each case's query to a hasty one; reject what then has another answer."""
    yield from rewrite_cases(REWRITING, cases, material)
