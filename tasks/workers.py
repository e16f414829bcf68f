"""Work spread over processes, results in order.

Only `workers` changes how long it takes; nothing else may depend on it.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def available_workers() -> int:
    """As many workers as this process may use cores."""
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def spread(
    function: Callable[[Thing], Result], things: Sequence[Thing], workers: int | None = None
) -> Iterator[Result]:
    """`map(function, things)` over processes; `function` must be importable by name.

    Processes are spawned, not forked: the caller may hold threads (Prefect's, Ray's).
    """
    count = min(available_workers() if workers is None else workers, len(things))
    if count <= 1:
        yield from map(function, things)
        return
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(function, things)
