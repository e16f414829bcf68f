"""Perturbations: a baseline case in, a changed case out; one file each.

A part is `perturb(cases, material) -> Iterator[Case | Context | Reject]`. For each baseline case it
yields one changed case or one reject with the reason, plus the contexts that changed cases need. It
must not depend on the order of the cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tasks.core.rows import Case, Context, Reject
from tasks.inference.operation import Operation
from tasks.suites.failsafeqa.perturbations import (
    incomplete,
    irrelevant_context,
    missing_context,
    misspelled,
    ocr,
    out_of_domain,
)
from tasks.suites.failsafeqa.perturbations.material import Material

__all__ = ["OPERATIONS", "PERTURBATIONS", "Material"]

Perturb = Callable[[Iterable[Case], Material], Iterator[Case | Context | Reject]]

# By `cases.variant`.
PERTURBATIONS: dict[str, Perturb] = {
    "misspelled": misspelled.perturb,
    "incomplete": incomplete.perturb,
    "out_of_domain": out_of_domain.perturb,
    "ocr": ocr.perturb,
    "missing_context": missing_context.perturb,
    "irrelevant_context": irrelevant_context.perturb,
}

# What they ask a model, by `requests.operation`.
OPERATIONS: dict[str, Operation[Any, Any]] = {
    operation.name: operation
    for operation in (incomplete.OPERATION, out_of_domain.OPERATION, irrelevant_context.OPERATION)
}
