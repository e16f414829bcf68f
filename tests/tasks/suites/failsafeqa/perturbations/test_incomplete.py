"""Queries reduced to search terms."""

from __future__ import annotations

from dataclasses import replace

from tasks.core.rows import Case, Reject
from tasks.suites.failsafeqa.perturbations.incomplete import perturb


def test_the_part_makes_cases_and_rejects(cases, material):
    rows = list(perturb([cases[0], replace(cases[1], query="EBITDA?")], material))
    assert isinstance(rows[0], Case)
    assert rows[0].query == "net sales Harbor Lantern 2017"
    assert isinstance(rows[1], Reject)
    assert rows[1].reason == "the rewriting is the query itself"
