"""Work spread over processes, or over a Ray cluster, results in order.

Only how long it takes may depend on the number of workers, never what comes out.
"""

from __future__ import annotations

import atexit
import itertools
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from tasks.compute import ray_cluster
from tasks.core.progress import tell

Thing = TypeVar("Thing")
Result = TypeVar("Result")

# What is under way at once: enough to keep every worker busy, not so much that hundreds
# of filings stand in memory.
_BATCH = 64
_WAITING_PER_CPU = 2  # on a Ray cluster, so that no CPU waits for the slowest thing
# A cluster that scales may have no CPU until there is work; for one to start, image and all, it takes minutes.
_PATIENCE_S = 300.0

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


def spread(
    function: Callable[[Thing], Result], things: Iterable[Thing], workers: int | None = None
) -> Iterator[Result]:
    """`map(function, things)` over a Ray cluster when `RAY_ADDRESS` names one, else over processes.

    `function` must be importable by name, on the cluster's nodes too; things and results travel as pickles.

    Raises:
        NoCluster: nobody answers at `RAY_ADDRESS`, or that cluster has no CPU, and gets none within minutes.
    """
    if ray_cluster.address() is not None:
        yield from _spread_over_ray(function, things)
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


def _spread_over_ray(function: Callable[[Thing], Result], things: Iterable[Thing]) -> Iterator[Result]:
    ray_cluster.connect()
    import ray

    @ray.remote
    def work(thing: Thing) -> Result:
        return function(thing)

    if not ray_cluster.n_cpus():
        tell(f"{ray_cluster.name()} has no CPU yet: waiting for one")
    under_way: deque[Any] = deque()
    for thing in things:
        under_way.append(work.remote(thing))
        # asked each time: a cluster that scales gets nodes while there is more to do than it has CPUs for
        if len(under_way) >= max(_BATCH, _WAITING_PER_CPU * ray_cluster.n_cpus()):
            yield _result(under_way.popleft())
    while under_way:
        yield _result(under_way.popleft())


def _result(work: Any) -> Any:
    """What a task on the cluster returned, however long it takes where there is a CPU to do it."""
    import ray

    while True:
        try:
            return ray.get(work, timeout=_PATIENCE_S)
        except ray.exceptions.GetTimeoutError:
            if not ray_cluster.n_cpus():
                raise ray_cluster.NoCluster(
                    f"{ray_cluster.name()} has no CPU, and got none in {_PATIENCE_S:g} s; join a node to it that takes "
                    "work (`ray start --address=HEAD:6379`), or unset RAY_ADDRESS for the CPUs of this machine"
                ) from None
