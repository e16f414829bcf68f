"""The Ray cluster that servers are placed on: connecting to it, and what its nodes have.

`RAY_ADDRESS` names one; else one is started on this machine, for this program, and ends with it.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.errors import RunFailed
from tasks.workers import ray_address


class NoCluster(RunFailed):
    """The Ray cluster that `RAY_ADDRESS` names cannot be reached."""


@dataclass(frozen=True, slots=True)
class Node:
    """A machine of the cluster and its GPUs, used or not."""

    node_id: str
    address: str
    n_gpus: int


def connect() -> None:
    """Connect this program to its cluster, if it is not yet.

    To be called in the thread that lives longest: Linux ends a local cluster with the thread that started it.

    Raises:
        NoCluster: nobody answers at `RAY_ADDRESS`.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    if ray.is_initialized():
        return
    address = ray_address()
    quiet = {"log_to_driver": False, "logging_level": logging.WARNING}
    on_sigterm = signal.getsignal(signal.SIGTERM)
    try:
        if address is None:
            ray.init(address="local", include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except ConnectionError as error:
        raise NoCluster(
            f"no Ray cluster lets us in at RAY_ADDRESS={address}; start one there (`ray start --head`), set "
            "RAY_AUTH_MODE=token if it asks for a token, or unset RAY_ADDRESS for a cluster of this machine"
        ) from error
    finally:
        if on_sigterm is not None and threading.current_thread() is threading.main_thread():
            signal.signal(
                signal.SIGTERM, on_sigterm
            )  # Ray sets one of its own, which would end us in mid-call


def name() -> str:
    """What messages call the cluster."""
    address = ray_address()
    return "the Ray cluster of this machine" if address is None else f"the Ray cluster at {address}"


def nodes() -> list[Node]:
    """The nodes that are alive, in a stable order."""
    import ray

    found = [
        Node(node["NodeID"], node["NodeManagerAddress"], int(node["Resources"].get("GPU", 0)))
        for node in ray.nodes()
        if node["Alive"]
    ]
    return sorted(found, key=lambda node: node.node_id)


def is_one_machine(found: Sequence[Node]) -> bool:
    """Whether all servers will be on the machine where this program runs."""
    address = ray_address()
    return len(found) == 1 and not (address or "").startswith("ray://")


def n_fitting(free_gpus: Iterable[int], gpus_per_server: int) -> int:
    """How many servers fit on nodes with so many free GPUs each; a server does not span nodes."""
    return sum(free // gpus_per_server for free in free_gpus)
