"""Out-of-domain queries: the same question in a layman's words.

From the paper (000, "Out-of-Domain"): "Was the net income for 2018 higher than that of
2017?" becomes "Did we make more money in 2018 than in 2017?".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tasks.core.rows import Case, Context, Reject
from tasks.suites.failsafeqa.perturbations.material import Material
from tasks.suites.failsafeqa.perturbations.rewriting import (
    Rewriting,
    fault_of,
    rewrite_cases,
    rewriting_of,
)

NAME = "out_of_domain"
OPERATION = rewriting_of(NAME)


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Put each case's query in everyday words; reject what then has another answer."""
    yield from rewrite_cases(REWRITING, cases, material)


def _fault(query: str, rewritten: str, company: str) -> str | None:
    return fault_of(query, rewritten, 3 * len(query) + 60)  # everyday words are longer


REWRITING = Rewriting(NAME, OPERATION, _fault)
