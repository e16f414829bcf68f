"""Incomplete queries: search terms without the sentence around them.

From the paper (000, "Incomplete Queries"): "What was the aggregate market value of the
stock held by non-affiliates on June 30, 2018?" becomes "aggregate market value, stock,
non-affiliates, June 30, 2018?".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tasks.core.rows import Case, Context, Reject
from tasks.suites.failsafeqa.perturbations.material import Material
from tasks.suites.failsafeqa.perturbations.rewriting import rewrite_cases, rewriting_of

NAME = "incomplete"
OPERATION = rewriting_of(NAME, are_terms=True)


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Reduce each case's query to terms; reject what is only terms already."""
    yield from rewrite_cases(NAME, OPERATION, len, cases, material)
