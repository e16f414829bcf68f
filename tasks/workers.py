"""Work spread over processes, or over a Ray cluster, results in order.

Only how long it takes may depend on the number of workers, never what comes out.
"""

from __future__ import annotations

import atexit
import itertools
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")

# What is under way at once: enough to keep every worker busy, not so much that hundreds
# of filings stand in memory.
_BATCH = 64

_pools: dict[int, ProcessPoolExecutor] = {}


def available_workers() -> int:
    """As many workers as this process may use cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def process_pool(workers: int) -> ProcessPoolExecutor:
    """The pool of this many processes; made once and kept until the program ends.

    Spawned, not forked: the caller may hold threads (Prefect's, Ray's).
    """
    if workers not in _pools:
        _pools[workers] = ProcessPoolExecutor(
            workers,
            mp_context=multiprocessing.get_context("spawn"),
            # Ctrl-C reaches the whole group; the parent decides what becomes of the workers.
            initializer=signal.signal,
            initargs=(signal.SIGINT, signal.SIG_IGN),
        )
        atexit.register(_pools[workers].shutdown, cancel_futures=True)
    return _pools[workers]


def forget_pool(workers: int) -> None:
    """Give up a pool that a killed worker has broken for good: the next caller gets a new one."""
    _pools.pop(workers, None)


def ray_address() -> str | None:
    """Where a configured Ray cluster is (`RAY_ADDRESS`), or None."""
    return os.environ.get("RAY_ADDRESS") or None


def spread(
    function: Callable[[Thing], Result], things: Iterable[Thing], workers: int | None = None
) -> Iterator[Result]:
    """`map(function, things)` over a Ray cluster when `RAY_ADDRESS` names one, else over processes.

    `function` must be importable by name; things and results travel as pickles.
    """
    address = ray_address()
    if address is not None:
        yield from _spread_over_ray(function, things, address)
        return
    count = available_workers() if workers is None else workers
    if count <= 1:
        yield from map(function, things)
        return
    remaining = iter(things)
    while batch := list(itertools.islice(remaining, _BATCH)):
        try:
            yield from process_pool(count).map(function, batch)
        except BrokenProcessPool:
            forget_pool(count)
            raise


def _spread_over_ray(
    function: Callable[[Thing], Result], things: Iterable[Thing], address: str
) -> Iterator[Result]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray
    import ray.data

    ray.init(address=address, ignore_reinit_error=True, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def work(row: dict[str, Any]) -> dict[str, Any]:
        return {"index": row["index"], "result": pickle.dumps(function(pickle.loads(row["thing"])))}

    remaining = enumerate(things)
    while batch := list(itertools.islice(remaining, _BATCH)):
        rows = [{"index": index, "thing": pickle.dumps(thing)} for index, thing in batch]
        dataset = ray.data.from_items(rows, override_num_blocks=len(rows)).map(work)
        # Ray Data promises no order
        for row in sorted(dataset.take_all(), key=lambda row: row["index"]):
            yield pickle.loads(row["result"])
