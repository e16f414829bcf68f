"""Incomplete queries: search terms without the sentence around them.

From the paper (000, "Incomplete Queries"): "What was the aggregate market value of the
stock held by non-affiliates on June 30, 2018?" becomes "aggregate market value, stock,
non-affiliates, June 30, 2018?".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tasks.core.rows import Case, Context, Reject, Sampling
from tasks.inference.operation import Operation
from tasks.suites.failsafeqa.perturbations.material import Material
from tasks.suites.failsafeqa.perturbations.rewriting import (
    QueryToRewrite,
    read_rewriting,
    rewrite_cases,
)

NAME = "incomplete"


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Reduce each case's query to terms; reject what is only terms already."""
    yield from rewrite_cases(NAME, OPERATION, _longest, cases, material)


def _longest(query: str) -> int:
    return len(query)


OPERATION = Operation(
    name="perturb_incomplete",
    template="failsafeqa/incomplete",
    inputs=QueryToRewrite,
    parse=read_rewriting,
    sampling=Sampling(temperature=0.0, max_tokens=256),
)
