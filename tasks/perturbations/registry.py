"""The perturbations by the name that `cases.perturbation` carries, and what they ask a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tasks.operations import Operation
from tasks.perturbations import (
    Material,
    incomplete,
    irrelevant_context,
    missing_context,
    misspelled,
    ocr,
    out_of_domain,
)
from tasks.schemas import Case, Context, Reject

Perturb = Callable[[Iterable[Case], Material], Iterator[Case | Context | Reject]]

PERTURBATIONS: dict[str, Perturb] = {
    "misspelled": misspelled.perturb,
    "incomplete": incomplete.perturb,
    "out_of_domain": out_of_domain.perturb,
    "ocr": ocr.perturb,
    "missing_context": missing_context.perturb,
    "irrelevant_context": irrelevant_context.perturb,
}

OPERATIONS: dict[str, Operation[Any, Any]] = {
    operation.name: operation
    for operation in (incomplete.OPERATION, out_of_domain.OPERATION, irrelevant_context.OPERATION)
}
