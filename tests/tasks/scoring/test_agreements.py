"""Agreement of raters that are no judges, such as a panel of verifiers."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.scoring.agreements import agreements_of
from tests.simulated import scoreable

LABELS = ("good", "bad", "unclear")


def test_raters_of_a_suite_agree_by_their_labels() -> None:
    """Three verifiers label 60 pairs of 20 filings; statsmodels computes kappa of their table."""
    # a second, and every test worker imports this file
    from statsmodels.stats.inter_rater import cohens_kappa

    chosen = np.random.default_rng(3)
    first = chosen.integers(0, 3, 60)
    second = np.where(chosen.random(60) < 0.6, first, chosen.integers(0, 3, 60))
    rated = {"ann": first, "bob": second, "cem": first}
    rows = [
        ("dev", "failsafeqa", name, f"pair {unit}", unit // 3, LABELS[label])
        for name, labels in rated.items()
        for unit, label in enumerate(labels)
    ]
    with scoreable({}, 20) as warehouse:
        warehouse.execute("drop view suites.ratings")
        warehouse.execute(
            "create table suites.ratings (release varchar, suite varchar, rater varchar, "
            "unit varchar, group_number bigint, label varchar)"
        )
        warehouse.executemany("insert into suites.ratings values (?, ?, ?, ?, ?, ?)", rows)
        found = {
            (row.rater, row.other_rater, row.measure): row
            for row in agreements_of(warehouse, "failsafeqa", "dev")
        }
    pairs = {(one, other) for one, other, _ in found}
    assert pairs == {("ann", "bob"), ("ann", "cem"), ("bob", "cem")}
    assert {row.relation for row in found.values()} == {"raters"}
    table = np.zeros((3, 3))
    np.add.at(table, (first, second), 1)
    kappa, agreement = found["ann", "bob", "kappa"], found["ann", "bob", "agreement"]
    assert kappa.value == pytest.approx(cohens_kappa(table).kappa, abs=1e-9)
    assert agreement.value == pytest.approx(np.mean(first == second))
    assert kappa.low < kappa.value < kappa.high
    assert (kappa.n, kappa.n_groups, kappa.n_unscored) == (60, 20, 0)
    assert found["ann", "cem", "kappa"].value == 1
    # all filings agree, which does not say that others would
    assert found["ann", "cem", "agreement"].low == pytest.approx(0.025 ** (1 / 20))
