"""Connect to the Ray cluster of `RAY_ADDRESS`, or one on this machine.

We are always a driver on a node of the cluster, never a Ray Client (`ray://`). We hold servers and
their addresses for hours, and Ray Client loses them when its connection breaks once.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from typing import Any

from tasks.core.errors import RunFailed

_JOIN = (
    "make this machine a node of it with `ray start --address=HEAD:6379 --num-cpus=0`, "
    "and set RAY_ADDRESS=auto"
)


class NoCluster(RunFailed):
    """The Ray cluster cannot be reached, or not in this way."""


def address() -> str | None:
    """Return the address of the configured Ray cluster (`RAY_ADDRESS`), or None."""
    return os.environ.get("RAY_ADDRESS") or None


def name() -> str:
    """Return the cluster's name in messages."""
    where = address()
    return "the Ray cluster of this machine" if where is None else f"the Ray cluster at {where}"


def connect() -> None:
    """Connect this program to its cluster, unless it is connected.

    Call it in the thread that lives longest: a local cluster ends with its starter on Linux.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    where = address()
    if where is not None and where.startswith("ray://"):
        raise NoCluster(
            f"RAY_ADDRESS={where} is for Ray Client, which tenkbench does not use. To use that "
            f"cluster, {_JOIN}"
        )
    import ray

    if ray.is_initialized():
        return
    on_sigterm = signal.getsignal(signal.SIGTERM)
    local: dict[str, Any] = {"address": "local", "include_dashboard": False}
    cluster = local if where is None else {"address": where}
    try:
        ray.init(**cluster, log_to_driver=False, logging_level=logging.WARNING)
    except ConnectionError as error:
        raise NoCluster(
            f"no Ray cluster lets us in at RAY_ADDRESS={where}. Start one there "
            "(`ray start --head`), set RAY_AUTH_MODE=token if it asks for a token, or "
            f"{_JOIN}"
        ) from error
    finally:
        if on_sigterm is not None and threading.current_thread() is threading.main_thread():
            # Ray sets its own, which would end us in the middle of a call
            signal.signal(signal.SIGTERM, on_sigterm)


def n_cpus() -> int:
    """Return the CPUs of the connected cluster's nodes, busy or not."""
    import ray

    return int(ray.cluster_resources().get("CPU", 0))


def nodes() -> list[dict[str, Any]]:
    """Return Ray's records of the nodes that are alive, in a stable order."""
    import ray

    return sorted((node for node in ray.nodes() if node["Alive"]), key=lambda node: node["NodeID"])


def n_gpus_of(node: dict[str, Any]) -> int:
    """Return a node's GPUs, busy or not."""
    return int(node["Resources"].get("GPU", 0))
