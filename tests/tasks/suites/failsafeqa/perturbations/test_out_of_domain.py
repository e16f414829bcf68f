"""Queries in everyday words."""

from __future__ import annotations

from tasks.core.rows import Case
from tasks.suites.failsafeqa.perturbations.out_of_domain import perturb


def test_the_part_makes_cases(cases, material):
    rows = [row for row in perturb(cases, material) if isinstance(row, Case)]
    assert (
        rows[0].query
        == "What was the money from selling things after returns of Harbor Lantern in 2017?"
    )
