"""Summary of a run's calls and cost, printed however it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tasks.core.progress import Pieces, listening

_counting: list[Pieces] = []

# Counts to report after the calls sent; failed calls may be of any kind.
_BESIDES = {"reused": "reused at no cost", "failed": "failed"}


@contextmanager
def counting_calls() -> Iterator[Pieces]:
    """Count the calls that are announced in the block.

    A nested block continues the outer count, because a nested flow is part of the run.
    """
    if _counting:
        yield _counting[0]
        return
    made = Pieces()
    _counting.append(made)
    try:
        with listening(made.hear):
            yield made
    finally:
        _counting.remove(made)


def calls_made(made: Pieces) -> str | None:
    """Summarize calls and cost per model, or return None without calls."""
    by_model: dict[str, Pieces] = {}
    for progress in made.latest.values():
        if progress.model is not None:
            by_model.setdefault(progress.model, Pieces()).hear(progress)
    if not by_model:
        return None
    lines = [_of_model(model, pieces) for model, pieces in by_model.items()]
    dollars = sum(pieces.sum_of("dollars") for pieces in by_model.values())
    in_all = [f"${dollars:,.2f} in all"] if dollars and len(lines) > 1 else []
    return f"This run's calls: {'; '.join([*lines, *in_all])}."


def _of_model(model: str, pieces: Pieces) -> str:
    dollars = pieces.sum_of("dollars")
    parts = [
        f"{model}: {pieces.sum_of('sent'):,.0f} sent" + (f" for ${dollars:,.2f}" if dollars else "")
    ]
    for count, what in _BESIDES.items():
        if n_calls := pieces.sum_of(count):
            parts.append(f"{n_calls:,.0f} {what}")
    return ", ".join(parts)
