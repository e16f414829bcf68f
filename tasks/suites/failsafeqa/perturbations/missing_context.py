"""The same query without a document, as after a failed upload.

The prompt keeps its structure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tasks.core.ids import canonical_json, stable_id
from tasks.core.rows import Case, Context, Reject
from tasks.suites.failsafeqa.perturbations.material import Material

NAME = "missing_context"


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Remove each case's context; the right answer is a refusal."""
    for case in cases:
        yield Case(
            case_id=stable_id("case", case.qa_pair_id, case.suite, NAME),
            qa_pair_id=case.qa_pair_id,
            suite=case.suite,
            variant=NAME,
            query=case.query,
            context_id=None,
            target=case.target,
            is_answerable=False,
            details=canonical_json({"removed_context_id": case.context_id}),
        )
