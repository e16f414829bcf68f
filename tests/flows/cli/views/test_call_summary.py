"""What a run's calls cost is counted by model, over all its flows."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from flows.cli.views.call_summary import calls_made, counting_calls
from tasks.core.progress import Progress, announce


def piece(
    model: str | None,
    done: int,
    began: float,
    *,
    reused: int = 0,
    unsent: int = 0,
    failed: int = 0,
    primed: int = 0,
    dollars: float = 0.0,
) -> None:
    announce(
        Progress(
            what="w",
            done=done,
            total=9,
            model=model,
            reused=reused,
            unsent=unsent,
            failed=failed,
            primed=primed,
            dollars=dollars,
            began=began,
        )
    )


def test_the_last_of_each_piece_counts_by_model(snapshot: SnapshotAssertion) -> None:
    with counting_calls() as made:
        piece("a", 3, 1.0, dollars=1.0)
        piece("a", 4, 1.0, dollars=1.5, failed=1)
        with counting_calls() as same:  # a flow of the run
            piece("a", 4, 2.0, reused=3, dollars=0.5)
        piece("b", 2, 3.0, dollars=1200.0)
    assert same is made
    assert calls_made(made) == snapshot


def test_a_model_that_costs_nothing_has_its_calls_counted(snapshot: SnapshotAssertion) -> None:
    with counting_calls() as made:
        piece("local", 7, 1.0, primed=3)
    assert calls_made(made) == snapshot


def test_calls_that_were_refused_here_are_not_called_sent(snapshot: SnapshotAssertion) -> None:
    with counting_calls() as made:
        piece("a", 7, 1.0, reused=1, unsent=2, failed=3)
    assert calls_made(made) == snapshot


def test_of_rules_nothing_is_said_and_the_next_run_counts_anew() -> None:
    with counting_calls() as made:
        piece(None, 7, 1.0)
    assert calls_made(made) is None
    with counting_calls() as other:
        pass
    assert other is not made
