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
# An autoscaling cluster may have no CPU until there is work; a node starts in minutes.
_PATIENCE_S = 300.0

_pools: dict[int, ProcessPoolExecutor] = {}


def available_workers() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def process_pool(workers: int) -> ProcessPoolExecutor:
    """Return the pool of this many processes, kept until exit.

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


def forget_pool(workers: int) -> None:
    """Drop a broken pool; the next caller gets a new one."""
    _pools.pop(workers, None)


def spread(
    function: Callable[[Thing], Result], things: Iterable[Thing], workers: int | None = None
) -> Iterator[Result]:
    """Yield `map(function, things)`, on the Ray cluster of `RAY_ADDRESS` or in processes.

    `function` must be importable by name, also on the cluster's nodes. Things and results are
    pickled.
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


def _spread_over_ray(
    function: Callable[[Thing], Result], things: Iterable[Thing]
) -> Iterator[Result]:
    ray_cluster.connect()
    import ray

    @ray.remote
    def work(thing: Thing) -> Result:
        return function(thing)

    if not ray_cluster.n_cpus():
        tell(f"{ray_cluster.name()} has no CPU yet: waiting for one")
    in_flight: deque[Any] = deque()
    for thing in things:
        in_flight.append(work.remote(thing))
        # asked each time: an autoscaling cluster adds nodes while work is queued
        if len(in_flight) >= max(_BATCH, _IN_FLIGHT_PER_CPU * ray_cluster.n_cpus()):
            yield _result(in_flight.popleft())
    while in_flight:
        yield _result(in_flight.popleft())


def _result(work: Any) -> Any:
    """Return a remote task's result; wait while the cluster has CPUs."""
    import ray

    while True:
        try:
            return ray.get(work, timeout=_PATIENCE_S)
        except ray.exceptions.GetTimeoutError:
            if not ray_cluster.n_cpus():
                raise ray_cluster.NoCluster(
                    f"{ray_cluster.name()} has no CPU, and got none in {_PATIENCE_S:g} s. Join a "
                    "node to it that takes work (`ray start --address=HEAD:6379`), or unset "
                    "RAY_ADDRESS for the CPUs of this machine"
                ) from None
