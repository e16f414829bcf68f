"""What a run has asked of models so far, and what that cost: said when it ends, however it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tasks.core.progress import Pieces, listening

_counting: list[Pieces] = []

# What is said of calls besides those that were sent, where there are any. Those that failed are of all kinds.
_BESIDES = {
    "unsent": "refused before they were sent",
    "reused": "answered before or alike at no cost",
    "failed": "of all failed",
}


@contextmanager
def counting_calls() -> Iterator[Pieces]:
    """Count the calls that are announced in the block.

    Inside another such block, that block's count goes on: a flow started by a flow is part of its run.
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
    """A line: by model, calls that were sent and what they cost, and those that were not. None: no calls."""
    by_model: dict[str, Pieces] = {}
    for progress in made.latest.values():
        if progress.model is not None:
            by_model.setdefault(progress.model, Pieces()).hear(progress)
    if not by_model:
        return None
    told = [_of_model(model, pieces) for model, pieces in by_model.items()]
    dollars = sum(pieces.sum_of("dollars") for pieces in by_model.values())
    in_all = [f"${dollars:,.2f} in all"] if dollars and len(told) > 1 else []
    return f"This run's calls: {'; '.join([*told, *in_all])}."


def _of_model(model: str, pieces: Pieces) -> str:
    dollars = pieces.sum_of("dollars")
    told = [
        f"{model} {pieces.sum_of('sent'):,.0f} sent" + (f" for ${dollars:,.2f}" if dollars else "")
    ]
    for count, what in _BESIDES.items():
        if n_calls := pieces.sum_of(count):
            told.append(f"{n_calls:,.0f} {what}")
    return ", ".join(told)
