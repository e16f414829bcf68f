"""Map a function in processes or on a Ray cluster, in order.

The number of workers changes the time, never the results.
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

# Things in flight: enough to keep every worker busy, but not hundreds of filings in memory.
_BATCH = 64
_IN_FLIGHT_PER_CPU = 2  # on a Ray cluster, so that no CPU waits for the slowest thing

_pools: dict[int, ProcessPoolExecutor] = {}


def _available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def process_pool(workers: int) -> ProcessPoolExecutor:
    """Return the pool of this many processes, kept until exit or until it breaks.

    Processes are spawned, not forked: the caller may have threads of Prefect or Ray.
    """
    if workers not in _pools:
        _pools[workers] = ProcessPoolExecutor(
            workers,
            mp_context=multiprocessing.get_context("spawn"),
            # Ctrl-C reaches the whole process group; only the parent acts on it.
            initializer=signal.signal,
            initargs=(signal.SIGINT, signal.SIG_IGN),
        )
        atexit.register(_pools[workers].shutdown, cancel_futures=True)
    return _pools[workers]


def spread(
    function: Callable[[Thing], Result],
    things: Iterable[Thing],
    workers: int | None = None,
    *,
    lost: Callable[[Thing], Result] | None = None,
) -> Iterator[Result]:
    """Yield `map(function, things)`, on the Ray cluster of `RAY_ADDRESS` or in processes.

    `function` must be importable by name, also on the cluster's nodes. Things and results are
    pickled. `lost` gives the result of a thing that ends its worker, and again when tried alone;
    without it that is an error. With it even one worker is a process of its own.
    """
    if ray_cluster.address() is not None:
        yield from _spread_over_ray(function, things, lost)
        return
    count = _available_cores() if workers is None else workers
    if count <= 1 and lost is None:
        yield from map(function, things)
        return
    count, remaining = max(1, count), iter(things)
    while batch := list(itertools.islice(remaining, _BATCH)):
        n_done = 0
        try:
            for result in process_pool(count).map(function, batch):
                yield result
                n_done += 1
        except BrokenProcessPool:
            _pools.pop(count, None)
            if lost is None:
                raise
            for thing in batch[n_done:]:
                try:  # again, while no other worker takes memory
                    yield process_pool(1).submit(function, thing).result()
                except BrokenProcessPool:
                    _pools.pop(1, None)
                    yield lost(thing)


def _spread_over_ray(
    function: Callable[[Thing], Result],
    things: Iterable[Thing],
    lost: Callable[[Thing], Result] | None,
) -> Iterator[Result]:
    ray_cluster.connect()
    import ray

    @ray.remote
    def work(thing: Thing) -> Result:
        return function(thing)

    if not ray_cluster.n_cpus():
        tell(
            f"{ray_cluster.name()} has no CPU yet: waiting for one. To add a node:\n"
            "    ray start --address=HEAD:6379"
        )
    in_flight: deque[tuple[Thing, Any]] = deque()
    for thing in things:
        in_flight.append((thing, work.remote(thing)))
        # asked each time: an autoscaling cluster adds nodes while work is queued
        if len(in_flight) >= max(_BATCH, _IN_FLIGHT_PER_CPU * ray_cluster.n_cpus()):
            yield _result(*in_flight.popleft(), lost)
    while in_flight:
        yield _result(*in_flight.popleft(), lost)


def _result(thing: Thing, work: Any, lost: Callable[[Thing], Result] | None) -> Any:
    """Return a remote task's result; Ray has tried again if its worker ended."""
    import ray

    try:
        return ray.get(work)
    except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError):
        if lost is None:
            raise
        return lost(thing)
