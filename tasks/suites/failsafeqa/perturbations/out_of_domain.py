"""Out-of-domain queries: the same question in a layman's words.

From the paper (000, "Out-of-Domain"): "Was the net income for 2018 higher than that of
2017?" becomes "Did we make more money in 2018 than in 2017?".
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

NAME = "out_of_domain"


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Put each case's query in everyday words, or reject it if nothing changes."""
    yield from rewrite_cases(NAME, OPERATION, _longest, cases, material)


def _longest(query: str) -> int:
    return 3 * len(query) + 60  # everyday words for a term are longer


OPERATION = Operation(
    name="perturb_out_of_domain",
    template="failsafeqa/out_of_domain",
    inputs=QueryToRewrite,
    parse=read_rewriting,
    sampling=Sampling(temperature=0.0, max_tokens=256),
)
