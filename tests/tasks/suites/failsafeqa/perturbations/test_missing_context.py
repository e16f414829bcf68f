"""A case without its context is otherwise unchanged and should be refused."""

from __future__ import annotations

import json

from tasks.suites.failsafeqa.perturbations.missing_context import perturb
from tests.some import some


def test_removes_the_context_and_keeps_the_query(cases, material):
    for case, row in some(zip(cases, perturb(cases, material), strict=True)):
        assert row.context_id is None
        assert not row.is_answerable
        assert (row.query, row.target, row.qa_pair_id) == (case.query, case.target, case.qa_pair_id)
        assert json.loads(row.details) == {"removed_context_id": case.context_id}
