"""The search on real filings: a sample of `tests/bench/derivations.py`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.derivation_trials import FALSE_KINDS, SAME_ROW, TRUE, read_filings, trials

FILINGS = ("apple_2009", "carbo_2017", "nvidia_2024")


def test_proves_fewer_than_2_percent_of_wrong_figures(shared: Path) -> None:
    found = list(trials(read_filings(shared / "filings", FILINGS), seed=1, most=30))
    tried = Counter(trial.kind for trial in found)
    proved = Counter(trial.kind for trial in found if trial.proof)
    assert tried[TRUE] > 80
    assert proved[TRUE] > 0.2 * tried[TRUE]  # what proves nothing has no false proofs either
    for kind in FALSE_KINDS:
        assert tried[kind] > (
            15 if kind == SAME_ROW else 50
        )  # few figures are proved, and by rows of two cells and more
        # of so few, one or two say nothing; the bench holds 2 % of each kind
        assert proved[kind] <= 0.02 * tried[kind] + 1, f"{kind}: {proved[kind]} of {tried[kind]}"
    n_false, n = (sum(of[kind] for kind in FALSE_KINDS) for of in (proved, tried))
    assert n_false < 0.02 * n
