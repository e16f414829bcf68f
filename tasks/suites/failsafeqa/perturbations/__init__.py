"""Perturbations: a baseline case in, a changed case out; one file each.

A part is `perturb(cases, material) -> Iterator[Case | Context | Reject]`. For each baseline case it
yields one changed case or one reject with the reason, plus the contexts that changed cases need. It
must not depend on the order of the cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Case, Context, QAPair, Reject
from tasks.suites.failsafeqa.perturbations import irrelevant_context, misspelled, ocr, rewriting
from tasks.suites.failsafeqa.perturbations.material import Material, material_of
from tasks.suites.shared.cases import BASELINE, varied
from tasks.suites.suite import Step, StepInputs

__all__ = ["PERTURBATIONS", "STEPS", "Material"]

Perturb = Callable[[Iterable[Case], Material], Iterator[Case | Context | Reject]]


def remove_context(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Remove each case's context, as after a failed upload; the right answer is a refusal."""
    for case in cases:
        details = canonical_json({"removed_context_id": case.context_id})
        yield varied(case, "missing_context", context_id=None, is_answerable=False, details=details)


# By `cases.variant`.
PERTURBATIONS: dict[str, Perturb] = {
    "misspelled": misspelled.perturb,
    "incomplete": partial(rewriting.rewrite_cases, rewriting.INCOMPLETE),
    "out_of_domain": partial(rewriting.rewrite_cases, rewriting.OUT_OF_DOMAIN),
    "ocr": ocr.perturb,
    "missing_context": remove_context,
    "irrelevant_context": irrelevant_context.perturb,
}


def _step(name: str, **own: Any) -> Step:
    declared: dict[str, Any] = {
        "version": 2,
        "options": ("seed",),
        "packages": ("codespell", "pyspellchecker") if name == "misspelled" else (),
    }

    def run(inputs: StepInputs) -> Iterator[Case | Context | Reject]:
        if "per" not in own:
            # All pairs of the release are in memory at once: without what is large and not read.
            pairs = [
                replace(pair, citations=(), citation_text="", traits={})
                for pair in inputs.rows(QAPair)
            ]
            return PERTURBATIONS[name](inputs.rows(Case), material_of(inputs, pairs))
        wanted = {pair.qa_pair_id for pair in inputs.shard}
        cases = inputs.rows(Case, ("qa_pair_id", wanted))
        return PERTURBATIONS[name](cases, material_of(inputs, inputs.shard))

    return Step(
        name=f"cases.{name}",
        run=run,
        writes=(Case, Context),
        reads=("ingest", "contexts", "qa_pairs", "cases.baseline"),
        may_be_empty=True,
        **(declared | own),
    )


def _rewriting(how: rewriting.Rewriting, version: int) -> Step:
    operations = (how.operation, rewriting.CHECK)
    return _step(how.name, version=version, per=QAPair, asks={"generator": operations})


STEPS: tuple[Step, ...] = (
    BASELINE,
    _step("misspelled", version=3),
    _rewriting(rewriting.INCOMPLETE, 12),
    _rewriting(rewriting.OUT_OF_DOMAIN, 14),
    _step("ocr", version=5, per=QAPair, options=("seed", "ocr_max_error")),
    _step("missing_context", per=QAPair),
    _step("irrelevant_context", version=9, asks={"generator": (irrelevant_context.OPERATION,)}),
)
