"""The same query without a document, as after a failed upload.

The prompt keeps its structure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tasks.core.ids import canonical_json
from tasks.core.rows import Case, Context, Reject
from tasks.suites.failsafeqa.perturbations.material import Material
from tasks.suites.shared.cases import varied

NAME = "missing_context"


def perturb(cases: Iterable[Case], material: Material) -> Iterator[Case | Context | Reject]:
    """Remove each case's context; the right answer is a refusal."""
    for case in cases:
        details = canonical_json({"removed_context_id": case.context_id})
        yield varied(case, NAME, context_id=None, is_answerable=False, details=details)
