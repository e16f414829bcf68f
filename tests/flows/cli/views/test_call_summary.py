"""What a run's calls cost is counted by model, over all its flows."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from flows.cli.views.call_summary import calls_made, counting_calls
from tasks.core.progress import Progress, announce


def test_the_last_of_each_piece_counts_by_model(snapshot: SnapshotAssertion) -> None:
    with counting_calls() as made:
        first = {"what": "w", "total": 9, "model": "a", "began": 1.0}
        announce(Progress(**first, done=3, dollars=1.0))
        announce(Progress(**first, done=4, dollars=1.5, failed=2, unsent=1))
        with counting_calls() as same:  # a flow of the run
            announce(Progress(**{**first, "began": 2.0}, done=4, reused=3, dollars=0.5))
        announce(Progress(what="w", total=9, model="b", began=3.0, done=2, dollars=1200.0))
        announce(Progress(what="w", total=9, model="local", began=4.0, done=7, primed=3))
        announce(Progress(what="w", total=9, model=None, began=5.0, done=7))  # rules
    assert same is made
    assert calls_made(made) == snapshot
    with counting_calls() as other:
        pass
    assert calls_made(other) is None
